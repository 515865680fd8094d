"""Regular expressions of the product match alike on every Python that it runs on.

CPython before 3.11.5 goes on at the wrong place after a possessive repetition whose body has failed
behind its first character, as in `(?:a|b(?!c))*+`. An atomic group, `(?>(?:a|b(?!c))*)`, means the
same and is right everywhere.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator, Sequence
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import code_graph
import index_format
import repo_mcp

ATOMS = {"LITERAL", "NOT_LITERAL", "ANY", "IN"}
REPEATS = {"POSSESSIVE_REPEAT", "MAX_REPEAT", "MIN_REPEAT"}
Node = tuple[Any, Any]


def patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Every expression that a module holds by name."""
    for package in (repo_mcp, code_graph, index_format):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.endswith("__main__"):
                module = importlib.import_module(found.name)
                for name, value in vars(module).items():
                    if isinstance(value, re.Pattern):
                        yield f"{found.name}.{name}", value


def fails_late(nodes: Sequence[Node]) -> bool:
    """True if a body may fail after it has taken a character that was not a lone backslash."""
    if not nodes:
        return False
    (name, value), *rest = [(str(name), value) for name, value in nodes]
    if name == "SUBPATTERN" and not rest:
        return fails_late(value[-1])
    if name == "BRANCH" and not rest:
        return any(map(fails_late, value[1]))
    if name == "LITERAL" and value == ord("\\"):  # then anything but the end of the text
        name, rest = str(rest[0][0]), rest[1:]
    single = name in ATOMS or (name in REPEATS and is_atom(value[2]))
    optional = all(kind in REPEATS and not value[0] and is_atom(value[2]) for kind, value in rest)
    return not (single and optional)


def is_atom(nodes: Sequence[Node]) -> bool:
    return len(nodes) == 1 and str(nodes[0][0]) in ATOMS


def wrong_repeats(nodes: Any) -> Iterator[str]:  # noqa: ANN401 a tree of tuples and lists
    """Possessive repetitions below a node that older Pythons may get wrong."""
    if isinstance(nodes, tuple) and nodes and str(nodes[0]) == "POSSESSIVE_REPEAT":
        body = nodes[1][2]
        if fails_late(body):
            yield str(body)
    if isinstance(nodes, (tuple, list, _parser.SubPattern)):
        for node in nodes:
            yield from wrong_repeats(node)


def test_no_expression_needs_a_newer_python_than_the_oldest() -> None:
    found = list(patterns())
    assert len(found) > 100
    wrong = {
        name: list(wrong_repeats(_parser.parse(it.pattern, it.flags & ~re.UNICODE)))
        for name, it in found
    }
    assert {name: bodies for name, bodies in wrong.items() if bodies} == {}


@pytest.mark.parametrize(
    ("pattern", "wrong"),
    [
        (r"(?:[^*]++|\*(?!/))*+", True),
        (r"(?:[^ ]|  )*+", True),
        (r"(?:extern[ \t]++)?+", True),
        (r"x(?:(?:ab|c)d)*+", True),
        (r"(?>(?:[^ ]|  )*)", False),
        (r'"(?:[^"\\\n]++|\\.)*+"', False),
        (r"(?:\\[\s\S][^\n\\]*+)*+[a-z]++", False),
    ],
)
def test_such_an_expression_is_noticed(pattern: str, wrong: bool) -> None:  # noqa: FBT001 a case
    assert bool(list(wrong_repeats(_parser.parse(pattern)))) is wrong
