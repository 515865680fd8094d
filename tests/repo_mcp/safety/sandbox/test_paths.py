"""Every spelling of a path is read inside the root, or refused whether or not it exists."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Sandbox
from tests.repo_mcp.fences import BOTH, SECRET, sandbox, write

# ways to begin below the root, in a folder two levels down, or at the top of the system
_STARTS = ("", "./", "src/", "src/deep/", "src//deep/", "./src/./", "{root}/", "{root}/src/", "//")
_STEPS = ("../", ".././", "..//", "../../", "../../../", "src/../../", "%2e%2e/", "..%2f", "....//")
_MORE_STEPS = ("..\\", "\u2025/", "\uff0e\uff0e/", "..\u200b/", "..;/", " ../", ".. /", "...//")
_ENDS = ("outside/{name}", "root/../outside/{name}", "outside//./{name}")
_WHOLE = (
    "{outside}/{name}",
    "{outside}/../outside/{name}",
    "{root}-evil/{name}",
    "{root}/../outside/{name}",
    "/{outside}/{name}",
    "//{outside}/{name}",
    "/proc/self/root{outside}/{name}",
    "/proc/self/cwd/{name}",
    "file://{outside}/{name}",
    "~/{name}",
    "~root/{name}",
    "$HOME/{name}",
    "${{HOME}}/{name}",
    "\\\\localhost\\c$\\{name}",
    "\\\\?\\C:\\{name}",
    "C:\\{name}",
    "C:/{name}",
    "C:{name}",
    "{outside}\x00/{name}",
    "src\x00/../../outside/{name}",
    "{outside}/{name}\n",
)
SPELLINGS = [
    "".join(parts) for parts in itertools.product(_STARTS, (*_STEPS, *_MORE_STEPS), _ENDS)
] + list(_WHOLE)
# the same denied file, and one that is not there: `{name}` becomes .env or id_rsa
DENIED = (
    "{name}",
    "./{name}",
    "src/{name}",
    "src//{name}",
    "{root}/{name}",
    "{root}/./src/{name}",
    "{name}/",
    "{name}/x",
    "nowhere/{name}",
    "{name}.",
    "{name} ",
    "{name}\u200b",
    "{name}:x",
    "{name}~",
)


@pytest.fixture(params=BOTH, ids=["kernel", "walk"])
def fence(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Sandbox]:
    """A sandbox with a secret next to it, and one in a folder whose name begins like the root's."""
    beside = {"outside/there": SECRET, "root-evil/there": SECRET, "there": SECRET}
    write(tmp_path, {**beside, "root/src/deep/a.py": "inside", "root/there.py": "inside"})
    write(tmp_path / "root", {".env": SECRET, "src/.env": SECRET, ".git/config": SECRET})
    found = sandbox(tmp_path / "root", openat2=request.param)
    yield found
    found.close()


def answer(fence: Sandbox, path: str) -> tuple[str, str, str, bool]:
    """All that a client learns about a refused path."""
    with pytest.raises(Problem) as caught:
        fence.read(path)
    return caught.value.code, caught.value.reason, caught.value.hint, caught.value.blocked


def spelled(pattern: str, tmp_path: Path, name: str) -> str:
    return pattern.format(root=tmp_path / "root", outside=tmp_path / "outside", name=name)


def test_there_are_as_many_spellings_as_the_design_requires() -> None:
    assert len(set(SPELLINGS)) >= 420


@pytest.mark.requirement("INT-07.1-root", "INT-04-single-root")
@pytest.mark.requirement("INT-07.2-blocked-shape")
def test_no_spelling_leads_outside_or_reveals_what_is_there(fence: Sandbox, tmp_path: Path) -> None:
    for pattern in SPELLINGS:
        there = answer(fence, spelled(pattern, tmp_path, "there"))
        assert there == answer(fence, spelled(pattern, tmp_path, "gone!")), pattern
        assert there[0] in {"path_outside", "path_invalid", "not_found"}, pattern
        assert there[3] == (there[0] == "path_outside")
        assert all(there[1:3])
        assert SECRET not in "".join(there[1:3])


@pytest.mark.requirement("INT-07.2-blocked-shape", "INT-07.2-denylist", "INT-07.4-redaction")
@pytest.mark.parametrize("pattern", DENIED)
def test_a_denied_file_is_blocked_whether_or_not_it_exists(
    fence: Sandbox, tmp_path: Path, pattern: str
) -> None:
    path = spelled(pattern, tmp_path, ".env")
    with_it = answer(fence, path)
    assert with_it[0] == "path_denied"
    assert with_it[3]
    assert all(with_it[1:3])
    (tmp_path / "root" / ".env").unlink()
    (tmp_path / "root" / "src" / ".env").unlink()
    assert answer(fence, path) == with_it


@pytest.mark.parametrize("name", ["config", "nothing", "refs/heads/main", "config/x"])
def test_everything_below_a_denied_folder_is_blocked(fence: Sandbox, name: str) -> None:
    assert answer(fence, f".git/{name}")[0] == "path_denied"
    assert answer(fence, f"src/.git/{name}") == answer(fence, f".git/{name}")


@pytest.mark.requirement("INT-07.1-root")
@pytest.mark.parametrize("path", ["..", "src/../..", "/etc", "", ".", "src//x", "{root}/src"])
def test_a_walk_stays_below_the_root(fence: Sandbox, tmp_path: Path, path: str) -> None:
    given = path.format(root=tmp_path / "root")
    if path:
        with pytest.raises(Problem) as caught:
            fence.list_folder(given)
        assert caught.value.code == "path_outside"
        assert fence.read_rules(f"{given}/there") == b""
    else:
        names = [entry.name for entry in fence.list_folder(given).entries]
        assert names == [".env", ".git", "src", "there.py"]


@pytest.mark.parametrize(
    "path", ["src/deep/a.py", "./src//deep/a.py", "{root}/src/deep/a.py", "/{root}//src/deep/a.py"]
)
def test_plain_spellings_of_a_file_inside_are_read(
    fence: Sandbox, tmp_path: Path, path: str
) -> None:
    found = fence.read(path.format(root=tmp_path / "root"))
    assert (found.path, found.data) == ("src/deep/a.py", b"inside")


def test_a_file_whose_path_is_too_long_for_the_system_is_unreadable(
    fence: Sandbox, tmp_path: Path
) -> None:
    """Its path has more bytes than the system accepts, but not more than a client may send."""
    names = ["ä" * 120] * 20
    here = os.open(tmp_path / "root", os.O_RDONLY)
    for name in names:
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    made = os.open("a.py", os.O_WRONLY | os.O_CREAT, dir_fd=here)
    os.write(made, b"deep")
    os.close(made)
    os.close(here)
    assert answer(fence, "/".join([*names, "a.py"]))[0] == "unreadable"
    assert [entry.name for entry in fence.list_folder("/".join(names)).entries] == ["a.py"]


def test_a_short_name_that_no_listing_has_is_not_opened(
    fence: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A Windows file system opens .env by the name ENV~1, though no folder lists that name."""
    write(tmp_path / "root", {"ENV~1": "short", "src/~1/b.py": "inside"})
    assert fence.read("ENV~1").data == b"short"
    assert fence.read("src/~1/b.py").data == b"inside"
    monkeypatch.setattr("repo_mcp.safety.sandbox.walk.os.listdir", lambda _: [".env"])
    assert answer(fence, "ENV~1")[0] == "not_found"
