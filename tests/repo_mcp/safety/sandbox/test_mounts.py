"""Several roots as one: no path leads out of them, and each is behind its own sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from repo_mcp.errors import Problem
from repo_mcp.indexing.build.mounts import find_inner_roots
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import LineScan, MountedSandboxes, Sandbox, mounts
from tests.repo_mcp.fences import BOTH, SECRET, refused, sandbox, write
from tests.repo_mcp.safety.sandbox.test_links import ESCAPES, FOLDER_ESCAPES
from tests.repo_mcp.safety.sandbox.test_paths import DENIED, SPELLINGS

NAMES = {"one": "a", "two": "b", "in": "a/inner", "deps:b": "b"}


def mounted(
    top: Path, names: Mapping[str, str], *, openat2: bool | None = None, deny: str = "never.txt"
) -> MountedSandboxes:
    """Sandboxes of these folders; files of one name are denied in the first alone."""
    roots = {name: top / folder for name, folder in names.items()}

    @cache
    def open_sandbox(name: str) -> Sandbox:
        if not roots[name].is_dir():
            raise Problem("root_missing")
        denylist = Denylist((deny,) if name == next(iter(names)) else ())
        given = str(roots[name])
        return Sandbox(given, denylist, max_file_bytes=1 << 20, use_openat2=openat2)

    spelled = {name: (str(root), str(root.resolve())) for name, root in roots.items()}
    inner = find_inner_roots((name, str(root)) for name, root in roots.items())
    return MountedSandboxes(spelled, open_sandbox, inner)


@pytest.fixture(params=BOTH, ids=["kernel", "walk"])
def fence(request: pytest.FixtureRequest, tmp_path: Path) -> MountedSandboxes:
    write(tmp_path, {"outside/there": SECRET, "root-evil/there": SECRET, "there": SECRET})
    write(tmp_path / "a", {"src/deep/x.py": "of a", ".env": SECRET, "src/.env": SECRET})
    write(tmp_path / "a" / "inner", {"y.py": "of inner", "never.txt": "shown"})
    write(tmp_path / "b", {"src/x.py": "of b", ".env": SECRET, "never.txt": "shown"})
    return mounted(tmp_path, NAMES, openat2=request.param)


def answer(fence: Sandbox, path: str) -> tuple[str, str, str, bool]:
    with pytest.raises(Problem) as caught:
        fence.read(path)
    return caught.value.code, caught.value.reason, caught.value.hint, caught.value.blocked


@pytest.mark.requirement("INT-07.1-root")
@pytest.mark.parametrize("before", ["", "one/", "two/", "in/", "one/inner/", "deps:b/"])
def test_no_spelling_leads_out_of_a_root(
    fence: MountedSandboxes, tmp_path: Path, before: str
) -> None:
    for pattern in SPELLINGS:
        for root in ("a", "b"):
            given = {"root": tmp_path / root, "outside": tmp_path / "outside"}
            spelled = [pattern.format(**given, name=name) for name in ("there", "gone!")]
            found = [answer(fence, before + path) for path in spelled]
            assert found[0] == found[1], pattern
            assert found[0][0] in {"path_outside", "path_invalid", "not_found"}, pattern
            assert SECRET not in "".join(found[0][1:3])


@pytest.mark.requirement("INT-07.2-denylist")
@pytest.mark.parametrize("pattern", DENIED)
def test_a_denied_file_of_any_root_is_blocked(
    fence: MountedSandboxes, tmp_path: Path, pattern: str
) -> None:
    for name, folder in NAMES.items():
        root = tmp_path / folder
        path = pattern.format(root=root, outside=tmp_path / "outside", name=".env")
        given = path if path.startswith("/") else f"{name}/{path}"
        assert answer(fence, given)[0] == "path_denied"


def test_the_denylist_of_a_root_rules_only_itself(fence: MountedSandboxes) -> None:
    assert fence.read("two/never.txt").data == b"shown"
    assert fence.is_denied("one/never.txt")
    assert not fence.is_denied("two/never.txt")
    assert not fence.is_denied("one")


@pytest.mark.parametrize(("place", "target"), ESCAPES)
def test_no_link_leads_out_of_its_root(
    fence: MountedSandboxes, tmp_path: Path, place: str, target: str
) -> None:
    link = tmp_path / "b" / place
    link.parent.mkdir(parents=True, exist_ok=True)
    given = {"root": tmp_path / "a", "outside": tmp_path / "outside", "name": "there"}
    link.symlink_to(target.format(**given))
    with pytest.raises(Problem) as caught:
        fence.read(f"two/{place}")
    assert SECRET not in caught.value.reason


@pytest.mark.parametrize(("place", "target"), FOLDER_ESCAPES)
def test_no_folder_link_leads_out_of_its_root(
    fence: MountedSandboxes, tmp_path: Path, place: str, target: str
) -> None:
    given = {"root": tmp_path / "a", "outside": tmp_path / "outside"}
    (tmp_path / "b" / place).symlink_to(target.format(**given), target_is_directory=True)
    assert refused(fence, f"two/{place}/there") in {"path_outside", "not_found"}


def test_a_link_into_another_root_is_refused(fence: MountedSandboxes, tmp_path: Path) -> None:
    (tmp_path / "b" / "link.py").symlink_to(tmp_path / "a" / "src" / "deep" / "x.py")
    (tmp_path / "b" / "folder").symlink_to(tmp_path / "a" / "src", target_is_directory=True)
    assert refused(fence, "two/link.py") == "path_outside"
    assert refused(fence, "two/folder/deep/x.py") == "path_outside"
    kinds = {entry.name: entry.kind for entry in fence.list_folder("two").entries}
    assert kinds["link.py"] == kinds["folder"] == "link"


@pytest.mark.parametrize(
    "path",
    ["one/src/deep/x.py", "./one//src/./deep/x.py", "{a}/src/deep/x.py", "/{a}//src/deep/x.py"],
)
def test_plain_spellings_are_read(fence: MountedSandboxes, tmp_path: Path, path: str) -> None:
    found = fence.read(path.format(a=tmp_path / "a"))
    assert (found.path, found.data) == ("one/src/deep/x.py", b"of a")


def test_a_file_of_a_root_inside_of_another_is_that_roots_file(
    fence: MountedSandboxes, tmp_path: Path
) -> None:
    for path in ("in/y.py", "one/inner/y.py", str(tmp_path / "a" / "inner" / "y.py")):
        assert fence.read(path).path == "in/y.py"
    # the outer root denies it, and has no say
    assert fence.read("one/inner/never.txt").data == b"shown"


def test_the_folder_above_has_the_roots_and_nothing_else(fence: MountedSandboxes) -> None:
    entries = fence.list_folder("").entries
    assert [(entry.name, entry.kind) for entry in entries] == [
        ("deps:b", "folder"),
        ("in", "folder"),
        ("one", "folder"),
        ("two", "folder"),
    ]
    assert fence.read_rules(".gitignore") == b""
    for path in ("", ".", "one", "./two"):
        assert answer(fence, path)[0] in {"not_a_file", "path_invalid"}


def test_many_files_are_read_as_each_root_reads_them(
    fence: MountedSandboxes, tmp_path: Path
) -> None:
    paths = ["two/src/x.py", "one/src/deep/x.py", "one/.env", "none/x", "in/y.py", "two"]
    alone = {
        "two/src/x.py": ("b", "src/x.py"),
        "one/src/deep/x.py": ("a", "src/deep/x.py"),
        "one/.env": ("a", ".env"),
        "in/y.py": ("a/inner", "y.py"),
    }
    uses_kernel = fence.read_plain(["two/src/x.py"]) != [None]
    read, scanned = [], []
    for path in paths:
        folder, below = alone.get(path, ("", ""))
        single = folder and sandbox(tmp_path / folder, openat2=uses_kernel)
        plain = single.read_plain([below])[0] if single else None
        read.append(None if plain is None else (path, plain.data))
        scanned.append(single.scan([below], LineScan(b"of"))[0] if single else None)

    found = fence.read_plain(paths)
    assert [None if item is None else (item.path, item.data) for item in found] == read
    assert fence.scan(paths, LineScan(b"of")) == scanned


def test_a_missing_root_does_not_keep_others_from_being_read(tmp_path: Path) -> None:
    write(tmp_path / "a", {"x.py": "of a"})
    fence = mounted(tmp_path, {"one": "a", "gone": "gone"})
    assert fence.read("one/x.py").data == b"of a"
    assert answer(fence, "gone/x.py")[0] == "root_missing"
    assert fence.read_plain(["gone/x.py", "one/x.py"])[0] is None
    assert not fence.is_denied("gone/x.py")


def test_a_package_has_a_name_that_no_system_refuses(
    fence: MountedSandboxes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mounts, "_WINDOWS", True)
    assert fence.normalize_path("deps:b/src/x.py") == "deps:b/src/x.py"
    assert fence.normalize_path("./deps:b") == "deps:b"
    for path in ("deps:b/../x", "deps:b//x.py:y", "deps:b/x.py:y", "deps:c/x.py", "one/a:b"):
        with pytest.raises(Problem):
            fence.normalize_path(path)


def test_the_root_without_a_name_has_the_files_beside_others(tmp_path: Path) -> None:
    write(tmp_path / "a", {"src/x.py": "of a", "b/y.py": "of a, too"})
    write(tmp_path / "b", {"src/x.py": "of b"})
    fence = mounted(tmp_path, {"": "a", "deps:b": "b"})
    assert fence.read("src/x.py").data == b"of a"
    assert fence.read("b/y.py").data == b"of a, too"
    assert fence.read("deps:b/src/x.py").data == b"of b"
    assert [item.name for item in fence.list_folder("").entries] == ["b", "src"]
    assert fence.normalize_path(str(tmp_path / "a/src/x.py")) == "src/x.py"
