"""Structural patterns drawn from the code of files, equal for equal files and seeds.

A pattern is the text of a node, some of whose parts are replaced by metavariables: `$A` for one
node, `$$$A` for all arguments of a list, and `$A` again where the same text comes again.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Final

from ast_grep_py import SgNode, SgRoot

_SHORTEST: Final = 4
_LONGEST: Final = 120
_MOST_LINES: Final = 3
_MOST_HOLES: Final = 3
_LISTS: Final = ("argument_list", "arguments", "parameters", "formal_parameters", "parameter_list")


def draw(texts: Sequence[str], language: str, count: int, seed: int) -> list[str]:
    """Distinct patterns that the language's parser takes for one piece of code."""
    chance = random.Random(f"{language}{seed}")
    found: dict[str, None] = {}
    for _ in range(count * 40):
        if len(found) == count:
            break
        nodes = list(_nodes(SgRoot(chance.choice(texts), language).root()))
        if nodes:
            pattern = _with_holes(chance.choice(nodes), chance)
            if _is_usable(pattern, language):
                found.setdefault(pattern)
    return list(found)


def _nodes(root: SgNode) -> Iterator[SgNode]:
    """The nodes whose text is a pattern of some length."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        text = node.text()
        children = node.children()
        waiting += reversed(children)
        is_piece = node.is_named() and children and "$" not in text
        if is_piece and _SHORTEST <= len(text) <= _LONGEST and text.count("\n") < _MOST_LINES:
            yield node


def _with_holes(node: SgNode, chance: random.Random) -> str:
    text, base = node.text(), node.range().start.index
    holes: list[tuple[int, int, str]] = []
    names = iter("ABCDEF")
    known: dict[str, str] = {}
    for part in _parts(node, chance)[: chance.randint(0, _MOST_HOLES)]:
        begin, end = part.range().start.index - base, part.range().end.index - base
        if any(begin < stop and start < end for start, stop, _ in holes) or end - begin == len(
            text
        ):
            continue
        if part.kind() in _LISTS and end - begin > 2:
            holes.append((begin + 1, end - 1, f"$$${next(names)}"))
        elif part.kind() not in _LISTS:
            name = known.setdefault(part.text(), "") or f"${next(names)}"
            known[part.text()] = name
            holes.append((begin, end, name))
    for begin, end, hole in sorted(holes, reverse=True):
        text = text[:begin] + hole + text[end:]
    return text


def _parts(node: SgNode, chance: random.Random) -> list[SgNode]:
    """The named nodes below, shuffled."""
    waiting, found = list(node.children()), []
    while waiting:
        part = waiting.pop()
        if part.is_named():
            found.append(part)
        waiting += part.children()
    chance.shuffle(found)
    return found


def _is_usable(pattern: str, language: str) -> bool:
    """True if it is one piece of code without errors, and not a lone metavariable."""
    from repo_mcp.search.structure.worker import analyse  # noqa: PLC0415 it loads the library

    reason, _, texts = analyse(pattern, language)
    return not reason and bool(texts)
