"""The work of linking a file is counted and limited, whatever shape its sources have."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

import pytest

from bench.graph.hostile.shapes import SHAPES, language_of
from code_graph import SourceTree
from code_graph.evaluate import engine
from code_graph.link.linker import GraphLinker
from code_graph.model import LinkedFile

_SMALL: Final = 8
IS_NIGHTLY: Final = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
_ENOUGH: Final = 40
# lines of Python that the linker runs for each step that it counts; 15 to 60 with honest code
_LINES_OF_STEP: Final = 120

_HONEST: Final = {
    "c": ("honest.c", "static int h(void) { return 1; }\nint honest(void) { return h(); }\n"),
    "cpp": ("honest.cpp", "static int h() { return 1; }\nint honest() { return h(); }\n"),
    "csharp": ("Honest.cs", "class Honest { void H() {} void I() { H(); } }\n"),
    "go": ("honest/honest.go", "package honest\nfunc h() {}\nfunc i() { h() }\n"),
    "java": ("Honest.java", "class Honest { void h() {} void i() { h(); } }\n"),
    "python": ("honest.py", "def h(): pass\ndef i(): h()\n"),
    "rust": ("honest/src/lib.rs", "fn h() {}\nfn i() { h(); }\n"),
    "swift": ("honest.swift", "func honest() {}\nfunc i() { honest() }\n"),
    "typescript": ("honest.ts", "function h() {}\nfunction i() { h(); }\nexport {};\n"),
    "javascript": ("honest.js", "function h() {}\nfunction i() { h(); }\nexport {};\n"),
}


class _Lines:
    """Counts the lines of the linker that are run."""

    def __init__(self) -> None:
        self.count = 0

    def run(self, call: Callable[[], object]) -> None:
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            call()
        finally:
            sys.settrace(before)

    def _enter(self, frame: FrameType, _event: str, _argument: object) -> Any:  # noqa: ANN401 as `sys.settrace` has it
        return self._line if "code_graph" in frame.f_code.co_filename else None

    def _line(self, _frame: FrameType, event: str, _argument: object) -> Any:  # noqa: ANN401 as above
        self.count += event == "line"
        return self._line


def _prepared(shape: str, size: int) -> SourceTree:
    """The sources of a shape, parsed."""
    tree = SourceTree(SHAPES[shape](size))
    for path in tree.paths():
        tree.facts(path)
        tree.code(path)
    tree.declared("", "")
    return tree


def _measured(shape: str, size: int) -> tuple[int, int]:
    """The lines that linking a shape runs, and the steps that it counts."""
    tree = _prepared(shape, size)
    linker, lines, steps = GraphLinker(tree), _Lines(), 0

    def link(path: str) -> None:
        nonlocal steps
        linker.link(path)
        steps += linker._engine._work

    for path in tree.paths():
        lines.run(lambda path=path: link(path))  # type: ignore[misc]
    return lines.count, steps


@pytest.mark.parametrize("shape", sorted(SHAPES))
def test_no_loop_of_the_linker_goes_uncounted(shape: str) -> None:
    lines, steps = _measured(shape, _SMALL)
    more_lines, more_steps = _measured(shape, 2 * _SMALL)
    assert more_lines - lines <= _LINES_OF_STEP * max(more_steps - steps, more_steps // 2)


@pytest.mark.parametrize("shape", sorted(SHAPES)[:: 1 if IS_NIGHTLY else 3])
def test_a_file_that_reaches_its_budget_is_marked_and_no_other_is_harmed(
    shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_LEAST_WORK", 300)
    monkeypatch.setattr(engine, "_WORK_OF_EXPRESSION", 0)
    path, text = _HONEST[language_of(shape)]
    tree = SourceTree({**SHAPES[shape](_ENOUGH), path: text})
    alone = GraphLinker(SourceTree({path: text})).link(path)
    linker = GraphLinker(tree)
    linked: dict[str, LinkedFile] = {}
    for each in tree.paths():
        linked[each] = linker.link(each)
        assert linked[each].is_complete == (not linker._engine.is_spent)
    assert linked[path].is_complete
    assert linked[path].edges == alone.edges
    assert len(alone.edges) > len(alone.symbols) - 1  # its call beside what it contains
    for each in reversed(tree.paths()):
        assert linker.link(each) == linked[each]
