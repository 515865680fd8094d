"""Links are followed inside the root; no answer reveals anything about files outside."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp.errors import Problem
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox
from tests.repo_mcp.fences import BOTH, SECRET, refused, sandbox, write

# where the link lies, and what it says; {name} is a file outside that exists, or one that does not
ESCAPES = [
    ("link", "../outside/{name}"),
    ("link", "{outside}/{name}"),
    ("link", "./../outside/./{name}"),
    ("link", "src/../../outside/{name}"),
    ("link", "src/up/../outside/{name}"),
    ("link", "//{outside}/{name}"),
    ("link", "{root}/../outside/{name}"),
    ("link", "../root/../outside/{name}"),
    ("link", "../root/src/a.py"),
    ("link", "{root}/src/a.py"),
    ("link", "/proc/self/cwd"),
    ("link", "/dev/fd/0"),
    ("link", "/dev/zero"),
    ("link", "/"),
    ("link", ".."),
    ("src/link", "../../outside/{name}"),
    ("src/link", "../../../../../../../../{outside}/{name}"),
    ("src/deep/link", "../up/{name}"),
]
FOLDER_ESCAPES = [
    ("link", "../outside"),
    ("link", "{outside}"),
    ("src/link", "../../outside"),
    ("link", "src/up"),
    ("link", "{root}/../outside"),
]


@pytest.fixture(params=BOTH, ids=["kernel", "walk"])
def fence(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Sandbox]:
    """A sandbox whose src/up leads out of it."""
    write(tmp_path, {"outside/there": SECRET, "outside/deep/there": SECRET, "file": SECRET})
    write(tmp_path / "root", {"src/a.py": "inside", "src/deep/b.py": "deep", ".env": SECRET})
    (tmp_path / "root" / "src" / "up").symlink_to("../../outside", target_is_directory=True)
    found = sandbox(tmp_path / "root", openat2=request.param)
    yield found
    found.close()


def outcome(fence: Sandbox, path: str, tmp_path: Path) -> tuple[str, str, str]:
    """The answer, which never names a target."""
    with pytest.raises(Problem) as caught:
        fence.read(path)
    found = caught.value
    for hint in ("outside/", "there", "gone!", str(tmp_path), "/dev", "/proc"):
        assert hint not in found.reason + found.hint.replace("outside the", "")
    return found.code, found.reason, found.hint


@pytest.mark.requirement("INT-07.1-root")
@pytest.mark.parametrize(("place", "target"), ESCAPES)
def test_a_link_out_is_blocked_and_reveals_nothing(
    fence: Sandbox, tmp_path: Path, place: str, target: str
) -> None:
    root, link = tmp_path / "root", tmp_path / "root" / place
    answers = set()
    for name in ("there", "gone!"):
        link.symlink_to(target.format(root=root, outside=tmp_path / "outside", name=name))
        answers.add(outcome(fence, place, tmp_path))
        link.unlink()
    assert len(answers) == 1
    assert answers.pop()[0] == "path_outside"


@pytest.mark.requirement("INT-07.1-root")
@pytest.mark.parametrize(("place", "target"), FOLDER_ESCAPES)
def test_a_path_through_a_link_out_is_blocked_and_reveals_nothing(
    fence: Sandbox, tmp_path: Path, place: str, target: str
) -> None:
    link = tmp_path / "root" / place
    link.symlink_to(target.format(root=tmp_path / "root", outside=tmp_path / "outside"))
    behind = ("there", "gone!", "deep/there", "gone!/there", "deep")
    assert {outcome(fence, f"{place}/{name}", tmp_path)[0] for name in behind} == {"path_outside"}
    with pytest.raises(Problem):
        fence.list_folder(place)
    assert fence.read_rules(f"{place}/there") == b""


@pytest.mark.requirement("INT-07.1-root")
@pytest.mark.parametrize("length", [2, 5, 39])
def test_a_chain_of_links_is_followed_inside_and_blocked_where_it_leaves(
    fence: Sandbox, tmp_path: Path, length: int
) -> None:
    root = tmp_path / "root"
    for number in range(length):
        (root / f"in{number}").symlink_to(f"in{number + 1}")
        (root / f"out{number}").symlink_to(f"out{number + 1}")
    (root / f"in{length}").symlink_to("src/a.py")
    (root / f"out{length}").symlink_to("../file")
    assert fence.read("in0").data == b"inside"
    assert refused(fence, "out0") == "path_outside"


def test_a_chain_that_is_too_long_is_refused(fence: Sandbox, tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / "root" / f"l{number}").symlink_to(f"l{number + 1}")
    assert refused(fence, "l0") == "path_invalid"


def test_links_with_too_many_steps_are_refused(fence: Sandbox, tmp_path: Path) -> None:
    """Every link goes down and up again a few hundred times: the work is bounded."""
    for number in range(40):
        (tmp_path / "root" / f"l{number}").symlink_to("src/deep/../../" * 200 + f"l{number + 1}")
    assert refused(fence, "l0") == "path_invalid"


def test_a_step_up_in_a_link_starts_from_the_target_of_the_link(
    fence: Sandbox, tmp_path: Path
) -> None:
    """As the system does: `deep/..` is the folder above the target of the link `deep`."""
    root = tmp_path / "root"
    (root / "deep").symlink_to("src/deep", target_is_directory=True)
    (root / "link").symlink_to("deep/../a.py")
    assert fence.read("link").data == (root / "link").read_bytes() == b"inside"


@pytest.mark.requirement("INT-07.1-root")
@pytest.mark.parametrize("depth", [4, 16, 18, 40])
def test_a_target_too_long_to_be_resolved_as_text_is_blocked(
    fence: Sandbox, tmp_path: Path, depth: int
) -> None:
    """Nested folders of 247 letters, each reached through a short link.

    Their path is longer than a path may be: resolving it as text gives up, opening it goes on.
    """
    root = tmp_path / "root"
    here = os.open(root, os.O_RDONLY)
    for number in range(depth):
        os.mkdir("d" * 247, dir_fd=here)
        os.symlink("d" * 247, f"s{number}", dir_fd=here)
        below = os.open("d" * 247, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.symlink("../" * (depth + 1) + "file", "out", dir_fd=here)
    os.symlink("../" * depth + "src/a.py", "in", dir_fd=here)
    os.close(here)
    short = "/".join(f"s{number}" for number in range(depth))
    if depth < 40:
        assert fence.read(f"{short}/in").data == b"inside"
        assert refused(fence, f"{short}/out") == "path_outside"
    else:
        assert refused(fence, f"{short}/out") == "path_invalid"


@pytest.mark.requirement("INT-07.2-blocked-shape")
@pytest.mark.parametrize("target", [".env", "src/../.env", "src/.env", ".git/config", "src/id_rsa"])
def test_a_link_to_a_denied_file_is_blocked_whether_or_not_it_exists(
    fence: Sandbox, tmp_path: Path, target: str
) -> None:
    write(tmp_path / "root", {".git/config": SECRET})
    (tmp_path / "root" / "link").symlink_to(target)
    (tmp_path / "root" / "folder").symlink_to(str(Path(target).parent), target_is_directory=True)
    assert refused(fence, "link") == refused(fence, f"folder/{Path(target).name}") == "path_denied"


@pytest.mark.requirement("INT-04-single-root", "INT-07.1-root")
def test_a_root_that_is_a_link_is_its_target(tmp_path: Path) -> None:
    write(tmp_path, {"one/a.py": "one", "two/a.py": "two", "file": SECRET})
    (tmp_path / "root").symlink_to("one", target_is_directory=True)
    for way in (None, False):
        fence = sandbox(tmp_path / "root", openat2=way)
        assert fence.read(str(tmp_path / "root" / "a.py")).data == b"one"
        assert fence.read(str(tmp_path / "one" / "a.py")).data == b"one"
        assert refused(fence, str(tmp_path / "two" / "a.py")) == "path_outside"
        (tmp_path / "root").unlink()
        (tmp_path / "root").symlink_to("two", target_is_directory=True)
        assert fence.read("a.py").data == b"one"
        (tmp_path / "root").unlink()
        (tmp_path / "root").symlink_to("one", target_is_directory=True)
        fence.close()


@pytest.mark.requirement("INT-04-single-root")
def test_a_root_that_is_replaced_or_removed_stays_the_opened_folder(
    fence: Sandbox, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    root.rename(tmp_path / "moved")
    write(root, {"src/a.py": SECRET, "new.py": SECRET})
    assert fence.read("src/a.py").data == b"inside"
    assert refused(fence, "new.py") == "not_found"
    assert [entry.name for entry in fence.list_folder("").entries] == [".env", "src"]


@pytest.mark.parametrize("spelling", ["data/index.txt", "DATA/index.txt", "data./index.txt"])
def test_the_data_folder_is_refused_in_every_spelling(tmp_path: Path, spelling: str) -> None:
    root = write(tmp_path / "root", {"data/index.txt": "x", "database.txt": "y"})
    fence = Sandbox(str(root), Denylist(), max_file_bytes=9, data_dir=str(root / "data"))
    assert refused(fence, spelling) == "path_data"
    assert fence.is_denied("data", folder=True)
    assert fence.is_denied(spelling)
    assert not fence.is_denied("database.txt")
    assert fence.read("database.txt").data == b"y"
    fence.close()
