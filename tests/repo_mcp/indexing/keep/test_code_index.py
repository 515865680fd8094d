"""The index of code follows the text index: equal to a fresh one, whatever happened on the way."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import FileCode
from code_graph.language_table import shared_as
from code_graph.link.shared_names import names_of
from code_graph.query.snapshot import GraphSnapshot
from code_graph.store.schema import GraphProgress
from code_graph.store.text_tree import TextTree
from index_format import check
from repo_mcp.app import App
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.code_index import CodeCounts, CodeIndex
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.indexing.keep.pools import PoolUse
from repo_mcp.settings import Options
from repo_mcp.stored import CODE_INDEX, GRAPH_INDEX, INDEX_FOLDER
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.trees import FOREVER, served, text_of, write

pytestmark = pytest.mark.servers

ROOT = Path(__file__).parents[4]
MODULES = [f"m{number}" for number in range(8)]
# a worker whose Python parser kills it at one file
WORKER = f"""
import os, signal, sys
sys.path.insert(0, {str(ROOT)!r})
from repo_mcp.indexing.workers import worker
from code_graph.languages.python.adapter import PythonAdapter
lower = PythonAdapter.code
def trap(self, path, text, facts=None):
    if path == "m5.py":
        os.kill(os.getpid(), signal.SIGKILL)
    return lower(self, path, text, facts)
PythonAdapter.code = trap
worker.main()
"""


def source(chance: random.Random) -> str:
    """A module that uses another one."""
    used, name = chance.choice(MODULES), chance.choice("abc")
    return f"from {used} import {name}\ndef {chance.choice('abc')}(): return {name}()\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    chance = random.Random(1)
    write(tmp_path / "root", {f"{name}.py": source(chance) for name in MODULES})
    write(tmp_path / "root", {"a.rst": "A\n=\n", "readme.md": "# a\n", "empty.py": ""})
    return tmp_path / "root"


@pytest.fixture
def manager(root: Path, tmp_path: Path) -> IndexManager:
    found = served(root, tmp_path / "data").manager
    found.refresh(FOREVER)
    return found


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repo_mcp.indexing.workers.file_jobs._MAX_TASK_FILES", 2)


def code_of(manager: IndexManager) -> CodeIndex:
    return CodeIndex(manager.recipe, manager.languages)


def follow(manager: IndexManager, budget: Budget = FOREVER) -> CodeCounts:
    pool = manager.pools[PoolUse.INDEXING]
    return code_of(manager).refresh(text_of(manager), pool, pool, budget)


def code(manager: IndexManager, path: str) -> FileCode | None:
    return code_of(manager).files(text_of(manager)).code(path)


def segments(manager: IndexManager, folder: str = CODE_INDEX.folder) -> dict[str, bytes]:
    """Bytes of all segments, after merging them as far as they can be."""
    index = code_of(manager)
    index.merge(manager.pools[PoolUse.INDEXING], FOREVER, full=True)
    index.collect_garbage(0.0, 0.0)
    path = Path(manager.recipe.index_dir) / folder
    return {item.name: item.read_bytes() for item in path.glob("seg-*")}


def fresh(root: Path, data: Path) -> dict[str, bytes]:
    made = served(root, data).manager
    made.refresh(FOREVER)
    follow(made)
    return segments(made)


def test_files_of_linked_languages_have_code(manager: IndexManager) -> None:
    assert follow(manager) == (9, 0, [], True)
    files = code_of(manager).files(text_of(manager))
    assert sorted(files.wanted(text_of(manager))) == [
        b"empty.py",
        *(f"{m}.py".encode() for m in MODULES),
    ]
    found = code(manager, "m0.py")
    assert found is not None
    assert (found.declarations, found.imports) == (1, 1)
    assert code(manager, "a.rst") is None
    assert list(check(code_of(manager).store)) == []


def test_only_changed_files_are_parsed(manager: IndexManager, root: Path) -> None:
    follow(manager)
    write(root, {"m1.py": "def b(): pass\n", "readme.md": "# b\n"})
    manager.refresh(FOREVER)
    assert follow(manager) == (1, 0, [], True)
    before = code_of(manager).files(text_of(manager)).generation
    assert follow(manager) == (0, 0, (), True)
    assert code_of(manager).files(text_of(manager)).generation == before


@pytest.mark.usefixtures("in_parts")
@pytest.mark.parametrize("seed", range(2))
def test_edits_end_in_the_bytes_of_a_fresh_index(
    manager: IndexManager, root: Path, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    for _ in range(6):
        for name in chance.sample(MODULES, chance.randint(1, 3)):
            path = root / f"{name}.py"
            if path.exists() and chance.random() < 0.3:
                path.rename(root / f"{name}{chance.choice('xyz')}.py")
            elif path.exists() and chance.random() < 0.3:
                path.unlink()
            else:
                write(root, {path.name: source(chance)})
        manager.refresh(FOREVER)
        assert follow(manager).complete
    assert segments(manager) == fresh(root, tmp_path / "fresh")
    assert list(check(code_of(manager).store)) == []


@pytest.mark.usefixtures("in_parts")
def test_a_run_that_ends_early_loses_no_more_than_it_had_not_published(
    manager: IndexManager, root: Path, tmp_path: Path
) -> None:
    spent = Budget(0.0, clock=Clock())
    assert not follow(manager, spent).complete

    def cancelled() -> bool:
        return code_of(manager).files(text_of(manager)).generation > 1

    with pytest.raises(Problem, match="cancelled"):
        follow(manager, Budget(cancelled=cancelled))
    left = follow(manager)
    assert left.complete
    assert 0 < left.lowered < 9
    assert segments(manager) == fresh(root, tmp_path / "fresh")


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_a_file_that_kills_workers_has_no_code(
    manager: IndexManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager.pools[PoolUse.INDEXING].close()
    monkeypatch.setattr(
        "repo_mcp.indexing.workers.pool._COMMAND", (sys.executable, "-P", "-c", WORKER)
    )
    manager.close()
    assert follow(manager) == (9, 0, [], True)
    assert code(manager, "m5.py") is None
    assert code(manager, "m6.py") is not None
    assert follow(manager) == (0, 0, (), True)
    manager.link(FOREVER)
    assert manager.graph().current


def test_a_file_that_changes_before_it_is_parsed_is_refreshed_and_linked_again(
    manager: IndexManager, root: Path
) -> None:
    write(root, {"m3.py": "def changed(): pass\n"})
    assert manager.link(FOREVER) == ["m3.py"]
    found = manager.graph()
    assert found.snapshot is not None
    assert not found.current
    assert manager.link(FOREVER) == ["m3.py"]
    manager.refresh_paths(["m3.py"], FOREVER, deep=True)
    assert manager.link(FOREVER) == []
    found = manager.graph()
    assert found.current
    assert found.snapshot is not None
    names = [item.qualified_name for item, _ in GraphSnapshot(found.snapshot).outline("m3.py")]
    assert "m3.changed" in names


def test_a_file_that_changes_and_changes_back_is_linked_with_its_code(
    manager: IndexManager, root: Path, tmp_path: Path
) -> None:
    before = (root / "m3.py").read_bytes()
    write(root, {"m3.py": "x = 1\n"})
    assert manager.link(FOREVER) == ["m3.py"]
    write(root, {"m3.py": before})
    manager.refresh(FOREVER)
    assert manager.link(FOREVER) == []
    assert manager.graph().current
    other = served(root, tmp_path / "fresh").manager
    other.refresh(FOREVER)
    other.link(FOREVER)
    assert graph_segments(manager) == graph_segments(other)


def graph_segments(manager: IndexManager) -> dict[str, bytes]:
    graph = manager.graph_index
    for part in graph.parts:
        part.merge(manager.pools[PoolUse.INDEXING], FOREVER, full=True)
        part.collect_garbage(0.0, 0.0)
    return segments(manager, GRAPH_INDEX.folder)


def test_a_graph_without_missing_code_is_not_built_again(manager: IndexManager, root: Path) -> None:
    write(root, {"m3.py": "def changed(): pass\n"})
    manager.link(FOREVER)
    found = manager.graph().snapshot
    assert found is not None
    # an unfinished first build would have a tree
    assert (GraphProgress.of(found).complete, GraphProgress.of(found).tree) == (False, "")


def damage(manager: IndexManager, names: str, change: Callable[[bytes], bytes]) -> None:
    for item in (Path(manager.recipe.index_dir) / CODE_INDEX.folder).glob(names):
        item.write_bytes(change(item.read_bytes()))


@pytest.mark.parametrize(
    ("names", "change"),
    [
        ("manifest-*", lambda _: b"{}"),
        ("CURRENT", lambda _: b"?"),
        ("seg-*", lambda data: data[: len(data) // 2]),
        ("seg-*", lambda data: bytes(byte ^ 1 for byte in data)),
    ],
    ids=["manifest", "current", "short", "changed"],
)
def test_damaged_code_is_made_again(
    manager: IndexManager, root: Path, names: str, change: Callable[[bytes], bytes]
) -> None:
    manager.link(FOREVER)
    damage(manager, names, change)
    write(root, {"m2.py": "from m3 import a, b, c\na(), b(), c()\n"})
    found = served(root, Path(manager._settings.data_dir)).manager
    found.refresh(FOREVER)
    found.link(FOREVER)
    assert found.graph().current
    assert code(found, "m0.py") is not None
    assert list(check(code_of(found).store)) == []


def test_an_index_folder_without_code_is_completed(manager: IndexManager, root: Path) -> None:
    manager.link(FOREVER)
    expected = segments(manager)
    folder = Path(manager.recipe.index_dir) / CODE_INDEX.folder
    for item in folder.iterdir():
        item.unlink()
    folder.rmdir()
    found = served(root, Path(manager._settings.data_dir)).manager
    assert found.graph().current
    write(root, {"m1.py": (root / "m1.py").read_bytes() + b"\n"})
    found.refresh(FOREVER)
    found.link(FOREVER)
    assert found.graph().current
    assert segments(found).keys() != expected.keys()
    assert code(found, "m0.py") is not None


def test_denied_files_lose_their_code(manager: IndexManager, root: Path) -> None:
    follow(manager)
    found = served(root, Path(manager._settings.data_dir), deny_globs=("m1.py",)).manager
    found.refresh(FOREVER)
    follow(found)
    assert code(found, "m1.py") is None
    assert code(found, "m2.py") is not None


def test_a_file_that_can_not_be_read_has_no_code(manager: IndexManager, root: Path) -> None:
    (root / "m4.py").unlink()
    (root / "m4.py").mkdir()
    assert follow(manager) == (8, 0, ["m4.py"], True)


def test_servers_with_other_toolsets_share_one_text_index(root: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    found = []
    for toolset, tool in (("interrogator", "repo.refresh_index"), ("codeagent", "index_files")):
        app = App(Options(str(root), str(data), toolsets=(toolset,), watch=False))
        try:
            app.call(tool, {} if toolset == "interrogator" else {"paths": ["m0.py"]}, lambda: False)
        finally:
            app.services.running().close()
        found.append({item.name for item in (data / INDEX_FOLDER).iterdir()})
        assert not list(data.glob("other-*"))
    assert any(name.startswith("seg-") for name in found[0])
    assert found[0] == found[1]


SHARING: dict[str, str | bytes] = {
    "a.h": "#define TWICE(x) (x)\nstruct ops { int (*open)(void); };\nint open_it(void);\n",
    "a.c": "static int own(void) { return 1; }\nint open_it(void) { return own(); }\n"
    "static struct ops all = { .open = open_it };\n",
    "b.hpp": "namespace n { struct Box { int size(); }; }\n",
    "b.cpp": '#include "b.hpp"\nint n::Box::size() { return 1; }\n',
    "p/C.java": "package p;\nclass C { void run() {} }\n",
    "g/g.go": "package g\n\ntype T struct{}\n\nfunc (t T) Run() {}\n",
    "r.rs": "pub struct R;\nimpl R { pub fn run(&self) {} }\n",
    "m.py": "def alone(): pass\n",
}


def shared_in(tree: TextTree) -> dict[tuple[str, str], list[str]]:
    """By language or platform, and name, the files that share it, each looked into."""
    found: dict[tuple[str, str], list[str]] = {}
    for path in tree.paths():
        facts = tree.facts(path)
        assert facts is not None
        for name in names_of(SourceFile(path, facts, tree.code(path), b"")):
            found.setdefault((shared_as(facts.language), name), []).append(path)
    return found


def test_files_are_found_by_the_names_that_they_share(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(root, SHARING)
    made = served(root, tmp_path / "data").manager

    def tree() -> TextTree:
        text = text_of(made)
        return TextTree(text, None, code_of(made).files(text))

    made.refresh(FOREVER)
    follow(made)
    before = shared_in(tree())
    assert before["c", "open_it definition"] == ["a.c"]
    assert before["c", "open_it prototype"] == ["a.h"]
    assert before["c", "ops.open stored"] == ["a.c"]
    assert ("c", "own local") not in before
    assert {key: tree().declared(*key) for key in before} == before
    # the code of a changed file is not there yet: it shares what its declarations alone tell
    write(root, {"a.c": "int opened(void) { return 1; }\n", "r.rs": "pub struct Q;\n"})
    made.refresh(FOREVER)
    after = shared_in(tree())
    assert after["c", "opened definition"] == ["a.c"]
    assert {key: tree().declared(*key) for key in before | after} == {
        key: after.get(key, []) for key in before | after
    }
