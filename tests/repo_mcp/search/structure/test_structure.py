"""Structural search: the matches of ast-grep's library over all files, and no harm from one."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from ast_grep_py import SgRoot

from bench.search.tree_patterns import draw
from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.search import ExactAnswer, ExactQuery, StructureEngine
from repo_mcp.search.structure import jobs
from repo_mcp.search.structure.languages import LANGUAGES, choose, language_of
from repo_mcp.search.structure.worker import _with_sigils
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.trees import FOREVER, sandbox, served, write
from tests.waiting import is_running, until

pytestmark = pytest.mark.servers

GOLDEN = Path(__file__).parents[3] / "code_graph" / "golden"
PYTHON = """\
import os


def f(a, b=1):
    try:
        return open(a, 'r')
    except OSError:
        pass
    return open(os.path.join(a, 'b'), mode='é') if a else os.path.join(a, 'c')
"""
SAMPLES = {
    "python": PYTHON,
    **{
        name: (GOLDEN / file).read_text(encoding="utf-8")
        for name, file in {
            "c": "c.c",
            "go": "go.go",
            "java": "java.java",
            "javascript": "ecmascript.js",
            "rust": "rust.rs",
            "typescript": "ecmascript.ts",
        }.items()
    },
}
# of a match: path, first line and column, last line and column
Place = tuple[str, int, int, int, int]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


def snapshot_of(root: Path) -> Snapshot:
    manager = served(root, root.parent / "data").manager
    manager.refresh(FOREVER)
    found = manager.snapshot()
    assert found is not None
    return found


def find(root: Path, pattern: str, *languages: str, **options: Any) -> ExactAnswer:  # noqa: ANN401 of a query
    query = ExactQuery((pattern,), languages=languages, **{"limit": None, **options})
    return StructureEngine(sandbox(root)).find(snapshot_of(root), query, FOREVER)


def places(found: ExactAnswer) -> set[Place]:
    return {
        (line.path, line.line, tree.column, tree.end_line, tree.end_column)
        for line in found.matches
        for tree in line.trees
    }


def expected(root: Path, pattern: str, language: str) -> Iterator[Place]:
    """The matches in every file of the language, none of which is left out by words."""
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root).as_posix()
        if file.is_file() and language_of(path) == language:
            tree = SgRoot(file.read_bytes().decode(), language).root()
            for node in tree.find_all(pattern=pattern):
                first, last = node.range().start, node.range().end
                yield path, first.line + 1, first.column, last.line + 1, last.column


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Snapshot]:
    """Each sample in several files: as it is, in parts, with other names, and beside numbers."""
    root = tmp_path_factory.mktemp("tree") / "root"
    for language, text in SAMPLES.items():
        ending = LANGUAGES[language].endings[-1]
        rows = text.splitlines(keepends=True)
        files: dict[str, str | bytes] = {
            f"{language}/whole{ending}": text,
            f"{language}/head{ending}": "".join(rows[: len(rows) // 2]),
            f"{language}/tail{ending}": "".join(rows[len(rows) // 2 :]).rstrip("\n"),
            f"{language}/renamed{ending}": text.replace("a", "aa").replace("open", "reopen"),
            f"{language}/beside{ending}": text.replace(" ", " 1", 3),
            f"{language}/windows{ending}": text.replace("\n", "\r\n"),
            f"{language}/other.txt": text,
        }
        write(root, files)
    return root, snapshot_of(root)


@pytest.mark.parametrize("language", SAMPLES)
def test_matches_are_those_of_the_library_over_all_files(
    tree: tuple[Path, Snapshot], language: str
) -> None:
    root, snapshot = tree
    engine = StructureEngine(sandbox(root))
    patterns = draw([SAMPLES[language], SAMPLES[language].replace("\n", "\r\n")], language, 25, 1)
    assert len(patterns) == 25
    matching = 0
    for pattern in patterns:
        query = ExactQuery((pattern,), limit=None, languages=(language,))
        found = engine.find(snapshot, query, FOREVER)
        assert places(found) == set(expected(root, pattern, language)), pattern
        matching += bool(found.per_file)
    # the others are of another kind outside of the code around them
    assert matching >= 12


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sigil_of_a_language_is_that_of_the_library(language: str) -> None:
    """There a metavariable is a piece of code."""
    sigil = LANGUAGES[language].sigil
    around = {"css": "a { color: $A }", "html": "<p>$A</p>", "php": "<?php f($A);"}
    waiting = [SgRoot(_with_sigils(around.get(language, "$A"), sigil), language).root()]
    texts = []
    while waiting:
        node = waiting.pop()
        waiting += node.children()
        texts.append(node.text())
    assert f"{sigil}A" in texts


def test_only_files_with_the_words_of_a_pattern_are_parsed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"f{number}.py": f"first(x{number})\n" for number in range(40)}
    write(root, {**files, "a.py": "first(second)\n", "b.py": "# first, and second\n"})
    parsed: list[str] = []
    job = jobs.MatchJob

    def note(pattern: str, language: str, texts: Sequence[str], **rest: bool) -> object:
        parsed.extend(texts)
        return job(pattern, language, texts, **rest)

    monkeypatch.setattr("repo_mcp.search.structure.engine.MatchJob", note)
    found = find(root, "first(second)")
    assert [line.path for line in found.matches] == ["a.py"]
    assert len(parsed) == 2
    assert found.files_looked_at == 2


def test_a_name_behind_a_number_is_found(root: Path) -> None:
    write(root, {"a.py": "x = 1if second else 0\ny = 0xfor second\n"})
    assert [line.line for line in find(root, "second", "python").matches] == [1, 2]


def test_a_line_has_its_matches_with_their_ends_and_bindings(root: Path) -> None:
    write(root, {"a.py": "é = 1\nf(g(1), [\n    2,\n])\n"})
    (line,) = find(root, "$F($$$A)", "python", bindings=True, context=1).matches
    assert (line.line, line.text, line.before, line.after) == (
        2,
        "f(g(1), [",
        ("é = 1",),
        ("    2,",),
    )
    assert line.columns == ((0, 9), (2, 6))
    assert [(tree.column, tree.end_line, tree.end_column) for tree in line.trees] == [
        (0, 4, 2),
        (2, 2, 6),
    ]
    assert line.trees[0].bindings == (("F", "f"), ("A", "g(1), [\n    2,\n]"))
    assert line.trees[1].bindings == (("F", "g"), ("A", "1"))


def test_without_a_language_a_pattern_is_searched_for_wherever_it_is_code(root: Path) -> None:
    write(root, {"a.py": "f(x)\n", "b.js": "f(x)\n", "c.go": "package a\n", "d.txt": "f(x)\n"})
    assert [line.path for line in find(root, "f($A)").matches] == ["a.py", "b.js"]


@pytest.mark.parametrize("name", ["cpp", "C++", "cc", "cxx", "hpp"])
def test_a_language_is_known_by_its_names_and_endings(name: str) -> None:
    assert choose([name]) == ("cpp",)


def test_the_text_is_that_of_the_files_now(root: Path) -> None:
    write(root, {"a.py": "f(x)\n", "b.py": "f(y)\n"})
    snapshot = snapshot_of(root)
    write(root, {"a.py": "\n\nf(z)\n"})
    (root / "b.py").unlink()
    found = StructureEngine(sandbox(root)).find(snapshot, ExactQuery(("f($A)",)), FOREVER)
    assert [(line.path, line.line, line.text) for line in found.matches] == [("a.py", 3, "f(z)")]
    assert [warning.code for warning in found.warnings] == ["gone"]


def test_denied_files_are_not_read(root: Path) -> None:
    write(root, {"a.py": "f(x)\n", ".git/b.py": "f(x)\n"})
    engine = StructureEngine(sandbox(root))
    found = engine.find_in(["a.py", ".git/b.py"], ExactQuery(("f($A)",)), FOREVER)
    assert [line.path for line in found.matches] == ["a.py"]


@pytest.mark.parametrize(
    ("pattern", "languages", "said"),
    [
        ("f(1)\ng(1)", ("python",), "in python it is several pieces of code, one after the other"),
        ("func {", ("go",), "in go it does not parse"),
        ("f(", ("go", "python"), "in go it does not parse, in python it does not parse"),
        ("f($A)", ("pythonn",), "no patterns in language 'pythonn': did you mean python?"),
        (" ", ("python",), "a pattern has 1 to 2000 characters"),
        ("x" * 2001, ("python",), "a pattern has 1 to 2000 characters"),
        ("f(\ud800)", ("python",), "lone surrogate"),
    ],
)
def test_a_pattern_that_is_none_is_said_to_be(
    root: Path, pattern: str, languages: tuple[str, ...], said: str
) -> None:
    write(root, {"a.py": "f(x)\n"})
    with pytest.raises(Problem, match="argument") as caught:
        find(root, pattern, *languages)
    assert caught.value.code == "argument_invalid"
    assert said in str(caught.value)


def test_without_a_match_it_is_said_how_the_pattern_was_understood(root: Path) -> None:
    write(root, {"a.c": "int f(void) { return g(1); }\n"})
    (warning,) = find(root, "g($A)", "c").warnings
    assert (warning.code, warning.text) == (
        "understood",
        "the pattern is a macro_type_specifier of c",
    )


def test_without_the_library_an_error_says_what_to_install(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {"a.py": "f(x)\n"})
    monkeypatch.setattr("repo_mcp.search.structure.jobs._LIBRARY", "no_such_library")
    with pytest.raises(Problem, match="ast-grep-py") as caught:
        StructureEngine(sandbox(root))
    assert caught.value.code == "structure_missing"


# a worker that dies at some files, and at others holds the lock of its interpreter for ever
TRAPPED = """
import os, re, signal
from repo_mcp.search.structure import worker

worker.SECONDS = float(os.environ["SECONDS"])
class SgRoot:
    def __init__(self, text, language):
        if "KILL" in text:
            os.kill(os.getpid(), signal.SIGKILL)
        if "STUCK" in text:
            re.match(r"(a+)+$", "a" * 60 + "b")
        self.made = made(text, language)
    def root(self):
        return self.made.root()

import ast_grep_py
made, ast_grep_py.SgRoot = ast_grep_py.SgRoot, SgRoot
worker.main()
"""
# a worker that is stopped from outside
STOPPED = """
import os, signal, sys
from repo_mcp.search.structure import worker

def matches(task, at):
    if task["left_out"]:
        return [None]
    at(0)
    os.kill(os.getpid(), signal.SIGSTOP)

worker._matches = matches
worker.main()
"""


def replace_worker(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    command = (sys.executable, "-P", "-c", code)
    monkeypatch.setattr("repo_mcp.search.structure.jobs._COMMAND", command)


@pytest.mark.parametrize(("trap", "seconds"), [("KILL", 1000), ("STUCK", 0.5)])
def test_a_file_that_ends_the_matcher_or_keeps_it_busy_costs_itself(
    root: Path, monkeypatch: pytest.MonkeyPatch, trap: str, seconds: float
) -> None:
    """The clock stands still: a busy worker's own watch ends it, whatever holds its lock."""
    write(root, {"a.py": "f(x)\n", "b.py": f"f('{trap}')\n", "c.py": "f(y)\n"})
    monkeypatch.setenv("SECONDS", str(seconds))
    replace_worker(monkeypatch, TRAPPED)
    found = find(root, "f($A)", "python")
    assert "b.py" not in [line.path for line in found.matches]
    (warning,) = found.warnings
    assert warning.code == "broken"
    assert warning.text.endswith("b.py")
    assert not found.complete


def test_files_that_all_end_the_matcher_end_a_search(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {f"{number}.py": "f('KILL')\n" for number in range(7)})
    monkeypatch.setenv("SECONDS", "1000")
    replace_worker(monkeypatch, TRAPPED)
    with pytest.raises(Problem, match="simpler pattern"):
        find(root, "f($A)", "python")


def test_a_worker_that_is_silent_is_ended_after_some_time(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {"a.py": "f(x)\n"})
    snapshot = snapshot_of(root)
    replace_worker(monkeypatch, STOPPED)
    budget = Budget(clock=Clock(step=0.5))
    found = StructureEngine(sandbox(root)).find(snapshot, ExactQuery(("f($A)",)), budget)
    assert [warning.code for warning in found.warnings] == ["broken", "understood"]


def test_cancelling_ends_the_workers(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, {"a.py": "f(x)\n"})
    snapshot = snapshot_of(root)
    replace_worker(monkeypatch, STOPPED)
    pids: list[int] = []
    cancelled = threading.Event()
    engine = StructureEngine(sandbox(root))
    begin = engine._pool._begin

    def start() -> Any:  # noqa: ANN401 a process of the pool
        process = begin()
        pids.append(process._process.pid)
        return process

    engine._pool._begin = start
    query, budget = ExactQuery(("f($A)",)), Budget(None, cancelled.is_set)

    def search() -> None:
        with pytest.raises(Problem, match="cancelled"):
            engine.find(snapshot, query, budget)

    searching = threading.Thread(target=search)
    searching.start()
    assert until(lambda: len(pids) > 0)
    cancelled.set()
    searching.join()
    assert until(lambda: not any(map(is_running, pids)))
