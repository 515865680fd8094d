"""Any history of edits gives the answers, and after full compaction the bytes, of a fresh build."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from index_format import Snapshot, WeightedTerm, top_chunks
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.stored import FIELDS
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, indexed, segment_names, served, text_of

pytestmark = pytest.mark.differential

WORDS = [
    "alpha",
    "beta",
    "getHTTPHeader",
    "snake_case",
    "é",
    "def",
    "class",
    "(",
    "):",
    "\n",
    "    ",
]
QUERIES = ["alpha", "http", "snake_case", "é", "py", "run"]
ROUNDS = 60
NAMES = ["a.py", "b.py", "c.md", "d.go", "e.txt", "sub/f.py", "sub/deep/g.rs", "sub/h", "x/a.py"]


class Editor:
    """Changes a tree as people and their tools do."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self.root = root
        self.chance = chance
        self.touched: set[str] = set()

    def edit(self) -> None:
        name = self.chance.choice(NAMES)
        self.touched.add(name)
        path = self.root / name
        kinds = [self.write, self.write, self.remove, self.rename, self.same_size, self.turn]
        self.chance.choice(kinds)(path)

    def write(self, path: Path) -> None:
        if path.is_dir() or path.is_symlink():
            self.remove(path)
        for parent in path.relative_to(self.root).parents:
            if (self.root / parent).is_file() or (self.root / parent).is_symlink():
                (self.root / parent).unlink()
                self.touched.add(parent.as_posix())
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text(), encoding="utf-8")

    def remove(self, path: Path) -> None:
        if path.is_file() or path.is_symlink():
            path.unlink()
        elif path.is_dir():
            self.touched.update(p.relative_to(self.root).as_posix() for p in path.rglob("*"))
            shutil.rmtree(path)

    def rename(self, path: Path) -> None:
        target = self.root / self.chance.choice(NAMES)
        if path.is_file() and target.parent.is_dir() and not target.is_dir():
            self.touched.add(target.relative_to(self.root).as_posix())
            path.replace(target)

    def same_size(self, path: Path) -> None:
        """An edit that keeps size and time, as tools do that put back what they found."""
        if path.is_file() and not path.is_symlink():
            before = path.stat()
            data = bytearray(path.read_bytes())
            data[: len(data) // 2] = b"z" * (len(data) // 2)
            path.write_bytes(data)
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def turn(self, path: Path) -> None:
        """A file becomes a folder, binary, a link, or ignored."""
        if path.is_dir():
            return
        path.unlink(missing_ok=True)
        if not path.parent.is_dir():
            return
        kind = self.chance.randrange(4)
        if kind == 0:
            path.mkdir()
            write(path, {"inside.py": self.text()})
            self.touched.add(f"{path.relative_to(self.root).as_posix()}/inside.py")
        elif kind == 1:
            path.write_bytes(b"\0binary")
        elif kind == 2:
            path.symlink_to("a.py")
        else:
            rules = self.chance.choice(["", "*.md\n", "sub/\n", "!sub/f.py\n*.txt\n"])
            (self.root / ".gitignore").write_text(rules, encoding="utf-8")
            self.touched.clear()
            self.touched.add(".gitignore")

    def text(self) -> str:
        if self.chance.random() < 0.3:
            names = self.chance.choices(["run", "stop", "getHTTP"], k=3)
            return "".join(
                f"def {name}(x):\n    'Says {name}.'\n    return x\n\n\n" for name in names
            )
        return " ".join(self.chance.choices(WORDS, k=self.chance.randrange(400)))


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small builds without a worker: what they make is the same, and hundreds are made."""
    monkeypatch.setattr("code_graph.registry.Languages.needs_worker", lambda *_: False)


def answers(snapshot: Snapshot) -> list[object]:
    found: list[object] = [snapshot.chunk_count, list(snapshot.paths())]
    for word in QUERIES:
        terms = [WeightedTerm(field, word.encode()) for field in FIELDS]
        hits = top_chunks(snapshot, terms, 50)
        found.append([(snapshot.chunk(hit.chunk), hit.score) for hit in hits])
    return found


@pytest.mark.requirement("INT-02-deterministic", "INT-09.3-incremental", "CARD-compactor")
@pytest.mark.parametrize("seed", range(4))
def test_any_history_gives_what_a_fresh_build_gives(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    root = write(tmp_path / "root", {"a.py": "alpha"})
    editor = Editor(root, chance)
    edited = served(root, tmp_path / "edited", chunk_lines=7, chunk_overlap=2)
    edited.manager.refresh(FOREVER)
    for number in range(ROUNDS):
        editor.touched.clear()
        for _ in range(chance.randrange(1, 5)):
            editor.edit()
        if chance.random() < 0.4 and ".gitignore" not in editor.touched:
            edited.manager.refresh_paths(sorted(editor.touched), FOREVER, deep=True)
        else:
            edited.manager.refresh(FOREVER)
        if chance.random() < 0.2:
            edited.manager.tidy(FOREVER)
        fresh = served(root, tmp_path / f"fresh{number}", chunk_lines=7, chunk_overlap=2)
        fresh.manager.refresh(FOREVER)
        assert indexed(edited.manager) == indexed(fresh.manager), (number, editor.touched)
        assert answers(text_of(edited.manager)) == answers(text_of(fresh.manager)), number
        if number % 10 == 9:
            edited.manager.tidy(FOREVER, full=True)
            fresh.manager.tidy(FOREVER, full=True)
            assert segment_names(edited.manager) == segment_names(fresh.manager)
        shutil.rmtree(tmp_path / f"fresh{number}")


@pytest.mark.requirement("INT-02-deterministic")
def test_the_number_of_workers_leaves_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.indexing.keep.refresh._IN_PROCESS_FILES", 0)
    monkeypatch.setattr("repo_mcp.indexing.workers.merging._IN_PROCESS_BYTES", 0)
    root = tmp_path / "root"
    editor = Editor(root, random.Random(7))
    for number in range(60):
        editor.write(root / f"{number % 7}/{number}.py")
    names: list[list[str]] = []
    for workers, most in ((1, 100), (1, 9), (3, 9)):
        monkeypatch.setattr("repo_mcp.indexing.build.tasks._MAX_TASK_FILES", most)
        manager = served(root, tmp_path / f"data{len(names)}", workers=workers).manager
        assert manager.refresh(FOREVER).added == 60
        manager.tidy(FOREVER, full=True)
        names.append(segment_names(manager))
    assert names[0] == names[1] == names[2]


def test_words_first_and_facts_later_end_in_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    editor = Editor(root, random.Random(8))
    for number in range(30):
        editor.write(root / f"{number}.py")
    at_once = served(root, tmp_path / "at_once").manager
    at_once.refresh(FOREVER)
    at_once.tidy(FOREVER, full=True)
    monkeypatch.setattr(
        "repo_mcp.indexing.keep.refresh.Refresh._is_one_round", lambda *_, **__: False
    )
    in_rounds = served(root, tmp_path / "in_rounds").manager
    done = in_rounds.refresh(FOREVER)
    assert (done.added, done.updated, done.files) == (30, 0, 30)
    assert not in_rounds.state().shallow
    in_rounds.tidy(FOREVER, full=True)
    assert segment_names(in_rounds) == segment_names(at_once)


def test_words_alone_are_found_at_once_and_the_rest_comes_with_the_next_refresh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write(tmp_path / "root", {"a.py": "x = 1"})
    manager = served(root, tmp_path / "data").manager
    manager.refresh(FOREVER)
    monkeypatch.undo()
    write(root, {"a.py": "def fresh(): pass"})
    manager.refresh_paths(["a.py"], FOREVER, deep=False)
    assert manager.state().shallow
    assert found(manager, "body", "fresh") == 1
    assert found(manager, "symbol", "fresh") == 0
    manager.refresh(FOREVER)
    assert not manager.state().shallow
    assert found(manager, "symbol", "fresh") == 1


def test_a_folder_stands_for_the_files_below_it_that_are_indexed(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "src/a.py": "old",
        "src/deep/b.py": "old",
        "src/gone.py": "old",
        "source/c.py": "old",
    }
    root = write(tmp_path / "root", files)
    manager = served(root, tmp_path / "data").manager
    manager.refresh(FOREVER)
    (root / "src/gone.py").unlink()
    write(root, {path: "fresh" for path in files if "gone" not in path})
    done = manager.refresh_paths(["src/"], FOREVER, deep=True)
    assert (done.added, done.updated, done.removed) == (0, 2, 1)
    assert found(manager, "body", "fresh") == 2
    assert list(text_of(manager).paths()) == ["source/c.py", "src/a.py", "src/deep/b.py"]
    shutil.rmtree(root / "src")
    assert manager.refresh_paths(["src/"], FOREVER, deep=True).removed == 2
    assert list(text_of(manager).paths()) == ["source/c.py"]


def found(manager: IndexManager, field: str, word: str) -> int:
    return len(top_chunks(text_of(manager), [WeightedTerm(field, word.encode())], 9))
