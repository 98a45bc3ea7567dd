"""Our own bugs: every promise that was found broken, and the test that would find it again; `docs/findings.md`."""
# ruff: noqa: E501

from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]

FINDINGS = {
    "the interval engine read tables that had been freed": "compiler/test_lifetimes.py::test_what_is_used_after_its_table_does_not_compile",
    "a stack was written past its end by deep trees": "geometry/test_tree.py::test_no_tree_is_deeper_than_its_stacks_are_long",
    "an audit called a colliding half turn free": "promise/test_half_turns.py::test_an_audit_finds_the_contact_of_half_a_turn",
    "exact lists followed the other arc at half turns": "promise/test_half_turns.py::test_all_contacts_of_half_a_turn_are_listed_in_the_frame_of_a_post_that_is_turned_over",
    "a chart that appeared between two questions changed bits": "promise/test_charted_bits.py::test_charts_that_appear_between_questions_change_no_bit",
    "max_steps did not bound the tests of leaves": "promise/test_work.py::test_no_question_does_more_than_its_cap_allows",
    "thin cylinders off their origin: free inside the margin": "promise/test_thin_shapes.py::test_no_distance_is_overstated_and_no_margin_is_called_free",
    "knots of unequal numbers of pieces were rounded": "promise/test_knots.py::test_motions_of_many_pieces_are_followed_at_the_same_time",
    "a nearly rigid matrix meant two rotations": "test_cast.py::test_a_nearly_rigid_matrix_means_one_rotation_to_a_scene_wherever_it_is_given",
    "crossing shells, one inside out: free inside both": "geometry/test_shells.py::test_shells_that_cross_and_face_opposite_ways_are_refused",
    "contacts beside turning bodies were dropped": "deform/test_one_story.py::test_nothing_is_dropped_beside_a_turntable_whatever_its_turns",
    "lists omitted what touches at the start": "deform/test_one_story.py::test_triangles_that_cross_and_stand_are_in_the_lists",
    "index arrays were the user's own": "test_cast.py::test_what_happens_to_indices_afterwards_changes_nothing",
    "frames of unequal numbers: free despite a contact": "promise/test_knots.py::test_deformable_models_of_many_frames_are_followed_at_the_same_time",
    "a list beside a turning body took gigabytes": "deform/test_one_story.py::test_a_list_beside_a_turning_body_that_is_never_near_costs_about_what_the_first_contact_does",
    "capped 27 cm before it touched": "deform/test_one_story.py::test_what_rounding_hides_is_capped_where_it_touches_and_not_before",
    "a hull of one point had no tolerance": "deform/test_one_story.py::test_points_have_a_tolerance_by_default",
    "complex numbers were taken for times": "deform/test_refused.py::test_times_of_pairs_are_of_real_numbers",
    "bool(hit) was true when free": "test_answers.py::test_no_answer_can_be_taken_for_true_or_false_where_free_and_contact_could_be_meant",
    "audit.free was true on a colliding trajectory": "queries/audit/test_audit.py::test_an_audit_of_a_colliding_trajectory_cannot_be_taken_for_free",
    "a trajectory's velocities were dropped": "io/test_trajectories.py::test_points_with_velocities_are_joined_by_cubics_and_with_accelerations_by_quintics",
    "a damaged ASCII STL asked for another library": "io/test_meshfile.py::test_odd_bytes_in_an_ascii_stl_need_no_library_that_guesses_encodings",
    "benchmarks could not be listed outside a checkout": "../benchmarks/tests/test_cli.py::test_benchmarks_are_installed_with_what_judges_them",
    "the box of a turned box depended on the processor": "geometry/test_obb.py::test_the_box_of_a_turned_box_is_that_box",
    "tests asked a wall clock": "test_house.py::test_no_test_asks_a_wall_clock",
    "import depended on private names of Numba": "compiler/test_kernels.py::test_a_missing_private_name_is_noticed",
    "one flipped bit in a cached mesh was a false proof": "compiler/test_store.py::test_any_flipped_bit_is_noticed",
    "a damaged cached mesh raised": "geometry/test_cache.py::test_bytes_of_another_format_are_no_arrays",
    "a damaged cached kernel raised": "../benchmarks/tests/campaigns/test_caches.py::test_damaged_caches_give_the_bits_that_they_give_without_a_cache",
    "a cache that cannot be written ended the first question": "compiler/test_store.py::test_a_cache_that_cannot_be_written_is_read",
    "TOCSIN_CACHE=off wrote, and used stale kernels": "compiler/test_disk_cache.py::test_no_kernel_is_ever_stale_and_off_writes_nothing",
    "MJCF by a relative path was refused": "io/test_strangers.py::test_a_model_given_by_a_relative_path_finds_its_meshes",
    "foreign folders in the cache were deleted": "compiler/test_store.py::test_only_our_own_files_are_ever_removed",
    "MJCF left its folder by decoys, directories and sub-models": "io/test_strangers.py::test_a_strangers_file_reads_runs_and_fills_nothing",
    "package:// reached any folder above or beside": "io/test_uris.py::test_a_name_alone_makes_no_package_of_a_folder_above_or_beside",
    "a few bytes of a file took gigabytes and minutes": "io/test_strangers.py::test_a_strangers_file_reads_runs_and_fills_nothing",
    "a full disk ended a question that was answered": "compiler/test_store.py::test_a_full_disk_and_a_limit_on_files_are_survived",
    "a cache of another user was executed": "compiler/test_store.py::test_what_belongs_to_another_user_is_refused_and_the_administrators_is_not",
    "a cache that all may write was executed": "compiler/test_store.py::test_folders_that_others_may_write_are_refused_in_a_sentence",
    "the cache was open to others": "compiler/test_store.py::test_folders_are_for_the_user_alone_whatever_the_mask",
    "thousands of digits and hollow arrays raised foreign errors": "io/test_strangers.py::test_a_strangers_file_reads_runs_and_fills_nothing",
    "a report of a stranger's run ran scripts and showed files": "cli/test_endings.py::test_a_strangers_run_is_escaped_and_shows_no_file_from_elsewhere",
    "Ctrl-C in the first second was a traceback": "cli/test_endings.py::test_an_interrupt_at_any_moment_leaves_one_json_object_and_no_traceback",
    "an exit printed no JSON": "cli/test_endings.py::test_every_exit_prints_json_where_json_was_asked",
    "~ was a folder of that name": "compiler/test_store.py::test_a_tilde_is_the_users_home",
    "a first compile was called a hang": "../benchmarks/tests/campaigns/test_mutate.py::test_what_is_compiled_is_not_on_the_clock_of_a_file",
    "a cloud's header of 24 kB took gigabytes; clouds without points raised foreign errors": "io/test_pointfile.py::test_a_cloud_without_points_has_none",
    "an octomap that is full of cells took seconds and gigabytes": "io/test_octomap.py::test_more_cubes_than_can_be_held_are_refused_unless_coarser_ones_are_asked_for",
    "frames of an SDF overflowed Python's stack, or took half a minute": "io/test_sdf.py::test_frames_may_hang_on_each_other_as_deep_as_there_are_frames",
    "a quaternion of 1e308 was an error of several lines": "io/test_sdf.py::test_a_quaternion_may_have_any_length_but_zero",
    "what a robot in a tube let go was proven as if it lay exactly where the plan has it; so was how it lay in the hand": "queries/test_play.py::test_a_part_that_was_put_down_lies_as_far_off_as_the_tubes_say",
    "a robot that stood after a step had no tube any more": "queries/test_play.py::test_a_robot_that_stands_after_a_step_may_be_off_as_in_it",
    "an interrupt in a callback of Python's was lost": "cli/test_endings.py::test_an_interrupt_in_a_callback_of_pythons_is_not_lost",
    "a grasp that was let go renamed or broke contacts that were looked at later": "promise/test_looked_at_later.py::test_answers_that_are_looked_at_after_a_change_tell_of_the_scene_that_was_asked",
    "contacts of cloths were looked for where things stood later": "promise/test_looked_at_later.py::test_answers_about_cloths_tell_of_the_scene_that_was_asked",
    "a body on a screw was resumed under rules that had changed": "promise/test_looked_at_later.py::test_a_body_on_a_screw_is_not_resumed_under_other_rules",
    "a capped list named the closest pair, not the one that touched": "promise/test_looked_at_later.py::test_a_contact_without_features_is_one_of_the_pair_that_touches",
    "audits of programs let go of their model, and sent motions lost it": "promise/test_looked_at_later.py::test_motions_that_were_sent_find_their_model_whatever_was_copied_meanwhile",
    "a contact that outlasted a grip elsewhere was two, with an instant called free between": "queries/audit/test_program.py::test_a_contact_that_outlasts_a_grip_elsewhere_is_one_stretch",
    "parts of motions that go far, and bodies that were left, had tubes too small for their rounding": "model/test_tracks.py::test_a_part_near_0_of_a_piece_that_goes_far_is_off_by_units_of_the_whole_piece",
    "two things within 1e-162 m of each other had an infinite distance": "queries/test_distance.py::test_things_nearer_than_any_length_with_a_square_have_a_distance",
    "half of a letter, zero bytes and rings of links in names of files raised foreign errors": "io/test_files.py::test_what_no_file_can_be_called_is_known",
    "a program of thousands of moves took minutes": "model/test_tracks.py::test_a_time_is_looked_up_among_thousands_of_segments_in_few_steps",
    "small packed files of zeros took gigabytes": "io/test_files.py::test_zeros_are_counted_before_they_are_unpacked",
}
"""What was wrong -> the test that says so."""

PAGE = TESTS.parent / "docs" / "findings.md"


@pytest.mark.parametrize("what", FINDINGS)
def test_what_was_once_wrong_has_a_test(what):
    file, name = FINDINGS[what].split("::")
    assert f"def {name}(" in (TESTS / file).read_text()


def test_the_page_has_all_of_them_in_order():
    rows = [f"| {what} | `{named.removeprefix('../')}` |" for what, named in FINDINGS.items()]
    assert [line for line in PAGE.read_text(encoding="utf-8").splitlines() if "::" in line] == rows
