"""Paths in prompts, recognition of tests, and neighbours."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_graph import Languages
from code_graph.paths.path_kinds import is_test
from repo_mcp.bundle.find.candidates import Candidate
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.paths import NamedPaths
from repo_mcp.bundle.model import FilePlace, SearchKind
from tests.repo_mcp.bundle.bundling import Shop, made, of
from tests.repo_mcp.trees import FOREVER, sandbox

TREE: dict[str, str | bytes] = {
    "src/app/config.py": "def load():\n    return 1\n",
    "src/web/config.py": "def load():\n    return 2\n",
    "src/web/views.py": "VIEWS = 1\n",
    "lib/one/utils.py": "A = 1\n",
    "lib/two/utils.py": "A = 1\n",
    "lib/three/utils.py": "A = 1\n",
    "lib/four/utils.py": "A = 1\n",
    "src/web/views.md": "Views are listed here.\n",
    "top.py": "TOP = 1\n",
}
# one file whose functions call each other and have few words
ENGINE = """def start_turbine(plan):
    return spin_up(plan)


def spin_up(plan):
    speed = 0
    return raise_speed(speed)


def raise_speed(speed):
    first = speed + 1
    return first


def paint_walls(colour):
    walls = colour
    return walls
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return made(tmp_path_factory.mktemp("tree"), TREE)


@pytest.mark.parametrize(
    ("written", "files"),
    [
        ("src/app/config.py", ("src/app/config.py",)),
        ("/home/me/work/src/web/config.py", ("src/web/config.py",)),
        ("C:\\build\\web\\config.py", ("src/web/config.py",)),
        ("./top.py", ("top.py",)),
        ("webpack:///./src/web/views.py?a1b2", ("src/web/views.py",)),
        ("config.py", ("src/app/config.py", "src/web/config.py")),
        ("utils.py", ()),
        ("web/views", ("src/web/views.py",)),
        ("nothing/here.py", ()),
        ("", ()),
    ],
)
def test_a_path_resolves_to_the_longest_common_suffix(
    tree: Shop, written: str, files: tuple[str, ...]
) -> None:
    assert NamedPaths(tree.snapshot, [written]).get(written).files == files


def test_a_folder_is_known(tree: Shop) -> None:
    assert NamedPaths(tree.snapshot, ["src/web"]).get("src/web").folder == "src/web"
    assert NamedPaths(tree.snapshot, ["rc/web"]).get("rc/web").folder == ""


def test_candidates_in_a_named_folder_count_more(tree: Shop) -> None:
    bundle = tree.ask("what does load give in src/web")
    assert bundle.excerpts[0].path == "src/web/config.py"


def test_a_frame_of_a_namesake_elsewhere_is_not_taken_for_ours(tree: Shop) -> None:
    trace = 'File "/usr/lib/python3/other/views.py", line 1, in render\nKeyError: 1'
    runs = {run.kind: run.hits for run in tree.ask(f"load fails\n{trace}").audit.searches}
    assert runs[SearchKind.FRAME] == 0


def test_a_file_that_is_gone_from_the_index_is_not_meant(tmp_path: Path) -> None:
    shop = made(tmp_path, TREE)
    (shop.root / "top.py").unlink()
    shop.manager.refresh_paths(["top.py"], FOREVER, deep=True)
    paths = NamedPaths(shop.snapshot, ["top.py", "top"])
    assert [paths.get(written).files for written in ("top.py", "top")] == [(), ()]


@pytest.mark.parametrize(
    "path",
    [
        *("tests/a.py", "src/test/java/A.java", "pkg/a_test.go", "web/cart.spec.ts", "test_a.py"),
        *("idlelib/idle_test/a.py", "tools/testing/selftests/x.c", "a/FooTest.java", "conftest.py"),
    ],
)
def test_tests_are_known_by_their_paths(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize(
    "path",
    [
        *("unittest/mock.py", "src/latest.py", "src/contest/a.py", "lib/protest.c", "bench/a.py"),
        *("src/attestation.c", "docs/examples/a.py", "Contest.java"),
    ],
)
def test_paths_that_only_sound_like_tests_are_none(path: str) -> None:
    assert not is_test(path)


def test_a_place_of_a_long_declaration_is_the_part_that_matches(tmp_path: Path) -> None:
    """A class of 900 lines is told by the member that was found; a long text by where it begins."""
    member = "    def member_{0}(self):\n" + "        x = 1\n" * 8
    rows = "".join(member.format(number) for number in range(100))
    shop = made(tmp_path, {"till.py": f"class Till:\n{rows}", "log.txt": "x\n" * 900})
    files = Files(shop.snapshot, sandbox(shop.root), Languages(), FOREVER)
    item = Candidate("till.py", 1, 901, "Till", focus={(1, 901): 9.0, (12, 13): 2.0, (30, 31): 1.0})
    assert item.place(files) == FilePlace("till.py", 11, 19)
    assert Candidate("till.py", 11, 19, "Till.member_1").place(files)[1:3] == (11, 19)
    assert Candidate("log.txt", 1, 900, "", focus={(1, 900): 1.0}).place(files)[1:3] == (1, 80)


def test_users_and_used_declarations_are_included(tmp_path: Path) -> None:
    bundle = made(tmp_path, {"engine.py": ENGINE}).ask("why is `spin_up` slow")
    assert "uses spin_up" in of(bundle, "start_turbine").rationale
    assert "by spin_up" in of(bundle, "raise_speed").rationale
    assert "paint_walls" not in {item.symbol for item in bundle.excerpts}
