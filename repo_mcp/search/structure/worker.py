"""A worker process that matches patterns in texts with ast-grep's library.

The library holds the interpreter's lock while it parses and matches, and a text or a pattern may be
made to crash it or to keep it busy for ever. Here that costs one text: the process ends itself
after a time that no lock can delay, and is told texts alone, no paths and no folder.
"""

from __future__ import annotations

import faulthandler
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

from repo_mcp.processes.child_process import ParentPipe, bound_memory, yield_to_answers
from repo_mcp.search.structure.languages import LANGUAGES

if TYPE_CHECKING:
    from ast_grep_py import SgNode

# of one text or pattern; most take a few milliseconds
SECONDS: Final = 10.0
_MULTIPLE: Final = "Multiple AST nodes"
_EMPTY: Final = "No AST root"
_METAVARIABLE: Final = re.compile(r"\$(\$\$)?([A-Z][A-Z0-9_]*)")

# of a match: line and column of its begin and end, counted from 0, and names of metavariables with
# the texts that they stand for
Match = tuple[int, int, int, int, list[tuple[str, str]]]
# of a pattern in a language: why it is none, its kind, and the texts that each match has, with
# true if they are names
Analysis = tuple[str, str, list[tuple[str, bool]]]


def main() -> NoReturn:
    """Answer messages from the pipe; never returns."""
    parent = ParentPipe()
    bound_memory()
    yield_to_answers()
    # a crash is told to the parent by the end of the pipe, and to no terminal
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 2)
    parent.receive()
    while True:
        task = parent.receive()

        def at(number: int) -> None:
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            parent.send(number)

        found = _analyses(task, at) if "languages" in task else _matches(task, at)
        faulthandler.cancel_dump_traceback_later()
        parent.send(found)


def _analyses(task: Mapping[str, Any], at: Callable[[int], None]) -> list[Analysis]:
    found: list[Analysis] = []
    for number, language in enumerate(task["languages"]):
        at(number)
        found.append(analyse(task["pattern"], language))
    return found


def analyse(pattern: str, language: str) -> Analysis:
    """The pattern in a language."""
    from ast_grep_py import SgRoot  # noqa: PLC0415 it takes most of the start

    try:
        SgRoot("", language).root().find(pattern=pattern)
    except (RuntimeError, ValueError) as error:
        return _reason(str(error)), "", []
    sigil = LANGUAGES[language].sigil
    node = _innermost(SgRoot(_with_sigils(pattern, sigil), language).root())
    broken = any(part.kind() == "ERROR" for part in _tree(node))
    return "it does not parse" if broken else "", node.kind(), list(_fixed_texts(node, sigil))


def _reason(error: str) -> str:
    if _MULTIPLE in error:
        return "it is several pieces of code, one after the other"
    return "it is empty" if _EMPTY in error else "it is no pattern"


def _with_sigils(pattern: str, sigil: str) -> str:
    """The pattern as ast-grep parses it: `$` of metavariables replaced by a letter."""
    return re.sub(
        r"\$+(?=([A-Z_])?)",
        lambda found: sigil * len(found[0]) if found[1] or len(found[0]) == 3 else found[0],
        pattern,
    )


def _tree(node: SgNode) -> Iterator[SgNode]:
    """A node and all below it; no recursion, as a pattern may be nested deeply."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(node.children())


def _innermost(node: SgNode) -> SgNode:
    """The innermost node that has all of the pattern, which is what ast-grep searches for.

    The statement around an expression may lack its end, of which the parser makes an empty node.
    """
    while (children := node.children()) and not any(rest.text() for rest in children[1:2]):
        if len(children) > 2:
            break
        node = children[0]
    return node


def _fixed_texts(root: SgNode, sigil: str) -> Iterator[tuple[str, bool]]:
    """The texts of named leaves, which match the same text alone, and whether they are names.

    A leaf without a name (an operator, a keyword) matches by its kind. What stands wholly for a
    metavariable matches any text.
    """
    metavariable = re.compile(rf"{re.escape(sigil)}{{1,3}}[A-Z0-9_.]*")
    waiting = [root]
    while waiting:
        node = waiting.pop()
        text = node.text()
        if metavariable.fullmatch(text):
            continue
        children = node.children()
        if not children and node.is_named() and text:
            yield text, node.kind().endswith("identifier")
        waiting += children


def _matches(task: Mapping[str, Any], at: Callable[[int], None]) -> list[list[Match] | None]:
    """The matches in each text; None for those that are left out."""
    from ast_grep_py import SgRoot  # noqa: PLC0415 as above

    pattern, language = task["pattern"], task["language"]
    names = list(dict.fromkeys(_METAVARIABLE.findall(pattern))) if task["bindings"] else []
    left_out = frozenset(task["left_out"])
    found: list[list[Match] | None] = []
    for number, text in enumerate(task["texts"]):
        if number in left_out:
            found.append(None)
            continue
        at(number)
        nodes = SgRoot(text, language).root().find_all(pattern=pattern)
        found.append([_match(node, names) for node in nodes])
    return found


def _match(node: SgNode, names: Sequence[tuple[str, str]]) -> Match:
    place = node.range()
    first, last = place.start, place.end
    bound = [(name, value) for many, name in names if (value := _value(node, name, many))]
    return first.line, first.column, last.line, last.column, bound


def _value(node: SgNode, name: str, many: str) -> str:
    if not many:
        one = node.get_match(name)
        return "" if one is None else one.text()
    several = node.get_multiple_matches(name)
    if not several:
        return ""
    begin = several[0].range().start.index
    root = node.get_root().root().text()
    return root[begin : several[-1].range().end.index]
