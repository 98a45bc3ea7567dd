"""What a description calls a file, and which files it may open."""

import os

import pytest

from tocsin import TocsinError
from tocsin.io.uris import Places


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A package `arm` with a description and a mesh, and a second package beside it."""
    for variable in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
        monkeypatch.delenv(variable, raising=False)
    for file in ("ws/arm/urdf/arm.urdf", "ws/arm/meshes/a b.stl", "ws/hand/meshes/hand.stl", "elsewhere/secret.stl"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("x")
    return tmp_path


def resolve(place, uri, packages=(), document="ws/arm/urdf/arm.urdf"):
    return Places(place / document, packages).resolve(uri, "the collision of link 'a'")


def declare(folder, name):
    (folder / "package.xml").write_text(f"<package><name> {name} </name></package>")


def test_a_package_is_found_above_the_description_and_beside_it(place):
    mesh = place / "ws/arm/meshes/a b.stl"
    declare(place / "ws/arm", "arm")
    declare(place / "ws/hand", "hand")
    assert resolve(place, "package://arm/meshes/a b.stl") == mesh
    assert resolve(place, "package://arm/meshes/a%20b.stl") == mesh
    assert resolve(place, "package:///arm/meshes/a b.stl") == mesh
    assert resolve(place, "package://hand/meshes/hand.stl") == place / "ws/hand/meshes/hand.stl"


@pytest.mark.parametrize("how", ["itself", "parent", "mapping", "declared", "text", "ROS_PACKAGE_PATH", "ament"])
def test_a_package_is_found_where_the_caller_or_the_environment_says(place, monkeypatch, how):
    far = place / "far/share/tool"
    (far / "meshes").mkdir(parents=True)
    (far / "meshes/t.stl").write_text("x")
    packages = {"itself": [far], "parent": [place / "far"], "mapping": {"tool": far}, "text": str(far)}.get(how, ())
    if how == "declared":
        declare(far, "tool")
        packages = [far.rename(far.with_name("other_name"))]
        far = packages[0]
    elif how == "ROS_PACKAGE_PATH":
        declare(far, "tool")
        monkeypatch.setenv("ROS_PACKAGE_PATH", os.pathsep.join(["/nowhere", str(place / "far")]))
    elif how == "ament":
        declare(far, "tool")
        monkeypatch.setenv("AMENT_PREFIX_PATH", str(place / "far"))
    assert resolve(place, "package://tool/meshes/t.stl", packages) == far / "meshes/t.stl"


def test_the_callers_folders_come_before_the_descriptions_own(place):
    other = place / "mine/hand/meshes"
    other.mkdir(parents=True)
    (other / "hand.stl").write_text("x")
    assert resolve(place, "package://hand/meshes/hand.stl", [place / "mine"]) == other / "hand.stl"


@pytest.mark.parametrize(
    ("uri", "file"),
    [
        ("package://meshes/link.stl", "ws/assets/arm/meshes/link.stl"),  # as Bullet's panda
        ("package://arm/meshes/link.stl", "ws/assets/arm/meshes/link.stl"),  # as ManiSkill's koch
        ("package://hand/hand.stl", "ws/assets/hand/hand.stl"),
    ],
)
def test_of_several_folders_of_a_name_the_one_nearest_to_the_description_is_meant(place, uri, file):
    for other in (file, "ws/meshes/other.stl", "ws/agents/arm/arm.py", "ws/agents/hand/x", "ws/assets/arm/arm.urdf"):
        (place / other).parent.mkdir(parents=True, exist_ok=True)
        (place / other).write_text("x")
    assert resolve(place, uri, [place / "ws"], "ws/assets/arm/arm.urdf") == place / file


def test_a_description_in_a_folder_of_the_packages_name_needs_no_more(place):
    for file in ("far/koch/arm.urdf", "far/koch/meshes/link.stl", "far/hand/hand.stl"):
        (place / file).parent.mkdir(parents=True, exist_ok=True)
        (place / file).write_text("x")
    assert resolve(place, "package://koch/meshes/link.stl", (), "far/koch/arm.urdf").name == "link.stl"
    with pytest.raises(TocsinError, match="it has no package"):
        resolve(place, "package://hand/hand.stl", (), "far/koch/arm.urdf")


def test_the_folder_of_meshes_and_description_is_the_one_to_allow(place):
    with pytest.raises(TocsinError) as caught:
        resolve(place, "../meshes/a b.stl")
    assert f"to allow it, give packages=[{str((place / 'ws/arm').resolve())!r}]" in str(caught.value)
    with pytest.raises(TocsinError, match="give packages="):
        resolve(place, str(place / "elsewhere/secret.stl"), (), "ws/arm/urdf/arm.urdf")


def test_a_package_uri_without_a_package_is_the_file_beside_the_description_with_a_remark(place):
    (place / "ws/arm/urdf/wheel.obj").write_text("x")
    with pytest.warns(UserWarning, match="no package in it: the file beside 'arm.urdf'"):
        assert resolve(place, "package://wheel.obj") == place / "ws/arm/urdf/wheel.obj"
    for uri in ("package://gone.obj", "package://..", "package://"):
        with pytest.raises(TocsinError, match="a package URI is package://name/path"):
            resolve(place, uri)


def test_a_missing_package_is_named_with_the_places_that_were_searched(place, monkeypatch):
    monkeypatch.setenv("ROS_PACKAGE_PATH", "/opt/there")
    with pytest.raises(TocsinError) as caught:
        resolve(place, "package://gripper/x.stl", [place / "ws"])
    for part in ("link 'a'", "'gripper'", str(place / "ws"), "ROS_PACKAGE_PATH (/opt/there)", "arm.urdf", "packages="):
        assert part in str(caught.value)


def test_relative_paths_start_at_the_descriptions_folder(place):
    (place / "ws/arm/urdf/b.stl").write_text("x")
    assert resolve(place, "b.stl") == place / "ws/arm/urdf/b.stl"
    assert resolve(place, "./b.stl") == place / "ws/arm/urdf/b.stl"
    assert resolve(place, f"file://{place}/ws/arm/urdf/b.stl") == place / "ws/arm/urdf/b.stl"
    assert resolve(place, f"file://localhost{place}/ws/arm/urdf/b.stl") == place / "ws/arm/urdf/b.stl"
    with pytest.raises(TocsinError, match=r"missing\.stl' does not exist"):
        resolve(place, "missing.stl")
    with pytest.raises(TocsinError, match="is a folder"):
        resolve(place, ".")
    with pytest.raises(TocsinError, match="does not exist"):
        resolve(place, "x" * 5000)


@pytest.mark.parametrize(
    "uri",
    [
        "../../../elsewhere/secret.stl",
        "../meshes/a b.stl",
        "package://arm/../../elsewhere/secret.stl",
        "package://arm/meshes/../../../elsewhere/secret.stl",
        "package://hand//etc/hostname/../../../elsewhere/secret.stl",
        "file://{place}/elsewhere/secret.stl",
        "{place}/elsewhere/secret.stl",
        "%2e%2e/%2e%2e/%2e%2e/elsewhere/secret.stl",
        "/etc/hostname",
        "link.stl",
        "package://arm/meshes/link.stl",
    ],
)
def test_a_mesh_path_that_leaves_the_allowed_folders_is_refused(place, uri):
    for folder in ("urdf", "meshes"):
        (place / "ws/arm" / folder / "link.stl").symlink_to(place / "elsewhere/secret.stl")
    for declared in (False, True):
        if declared and not uri.startswith("../meshes"):
            declare(place / "ws/arm", "arm")
            declare(place / "ws/hand", "hand")
        with pytest.raises(TocsinError, match=r"outside the folders|does not exist|needs the package") as caught:
            resolve(place, uri.format(place=place))
        assert "link 'a'" in str(caught.value)


def test_a_name_alone_makes_no_package_of_a_folder_above_or_beside(place):
    for uri in ("package://elsewhere/secret.stl", "package://arm/meshes/a b.stl", "package://hand/meshes/hand.stl"):
        with pytest.raises(TocsinError, match=r"is not a package: it has no package.xml"):
            resolve(place, uri)
    inside = place / "ws/arm/urdf/tool/t.stl"
    inside.parent.mkdir()
    inside.write_text("x")
    assert resolve(place, "package://tool/t.stl") == inside  # it may use its own folder anyway
    (place / "ws/arm/urdf/away").symlink_to(place / "elsewhere")
    with pytest.raises(TocsinError, match="needs the package 'away'"):
        resolve(place, "package://away/secret.stl")
    assert resolve(place, "package://elsewhere/secret.stl", place / "elsewhere") == place / "elsewhere/secret.stl"


def test_dots_may_be_used_inside_the_package_or_a_folder_that_the_caller_gives(place):
    mesh = place / "ws/arm/meshes/a b.stl"
    assert resolve(place, "../meshes/a b.stl", [place / "ws"]) == mesh
    assert resolve(place, "../meshes/a b.stl", {"arm": place / "ws/arm"}) == mesh
    declare(place / "ws/arm", "arm")
    assert resolve(place, "../meshes/a b.stl") == mesh


def test_a_description_reached_through_a_link_may_use_its_own_package(place):
    declare(place / "ws/arm", "arm")
    (place / "installed").mkdir()
    (place / "installed/arm.urdf").symlink_to(place / "ws/arm/urdf/arm.urdf")
    found = resolve(place, "package://arm/meshes/a b.stl", document="installed/arm.urdf")
    assert found == place / "ws/arm/meshes/a b.stl"


def test_the_roots_own_folders_are_nobodys_packages(place):
    for uri in ("package://etc/hostname", "package://../x", "package://./x", "package://.ssh/x", "package://arm"):
        with pytest.raises(TocsinError, match=r"needs the package|a package URI is"):
            resolve(place, uri)


@pytest.mark.parametrize("uri", ["http://host/a.stl", "https://host/a.stl", "model://arm/a.stl", "ftp://x/y"])
def test_other_schemes_are_refused_with_the_ones_that_are_known(place, uri):
    with pytest.raises(TocsinError, match="package://name/path; file:///path; a path relative"):
        resolve(place, uri)


@pytest.mark.parametrize("uri", ["", "a\0b", "file://host/x"])
def test_malformed_names_are_refused(place, uri):
    with pytest.raises(TocsinError, match=r"names no file|three slashes"):
        resolve(place, uri)


@pytest.mark.parametrize("packages", [["/nowhere/at/all"], {"arm": "/nowhere"}, 3, [3]])
def test_packages_that_are_no_folders_are_refused(place, packages):
    with pytest.raises(TocsinError, match="packages"):
        resolve(place, "b.stl", packages)


def test_a_broken_package_file_hides_nothing_else(place):
    (place / "ws/broken").mkdir()
    (place / "ws/broken/package.xml").write_text("<package")
    declare(place / "ws/hand", "renamed")
    found = resolve(place, "package://renamed/meshes/hand.stl", [place / "ws"])
    assert found == place / "ws/hand/meshes/hand.stl"
