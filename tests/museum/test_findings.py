"""Our own bugs: every promise that was found broken, and the test that would find it again."""
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
    "import depended on private names of Numba": "compiler/test_kernels.py::test_a_missing_private_name_is_noticed",
}
"""What was wrong -> the test that says so."""


@pytest.mark.parametrize("what", FINDINGS)
def test_what_was_once_wrong_has_a_test(what):
    file, name = FINDINGS[what].split("::")
    assert f"def {name}(" in (TESTS / file).read_text()
