"""Finds the roots that a call is about, so that no others are opened; `repo:` in queries.

A query may say `repo:name` and `-repo:name`; several `repo:` are alternatives. They become
conditions of paths, which searches know. Those that are named are asked alone: scores are those of
one index of these roots.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from index_format.tuples import NamedTuple

# of tools that answer from texts alone, the arguments that name places and the one with a query
_NARROWED: Final[Mapping[str, tuple[str, str]]] = {
    "repo.search": ("file_glob", "query"),
    "repo.open_file": ("path", ""),
    "repo.list_files": ("glob", ""),
    "list_directory": ("path", ""),
    "read_file": ("path", ""),
    "get_directory_tree": ("path", ""),
    "search_code": ("", "query"),
    "search_docs": ("", "query"),
}
# modes whose queries have no conditions and whose answers no scores
_PLAIN_MODES: Final = frozenset({"literal", "regex", "structure"})
_REPO: Final = re.compile(
    r"(?:(?<=^)|(?<=[\s(]))(?P<sign>-?)repo:(?:\"(?P<quoted>[^\"]+)\"|(?P<names>[^\s()\"]+))"
)
_OPERATORS: Final = re.compile(r"\b(?:AND|OR|NOT)\b|[()]")


class CallScope(NamedTuple):
    """The roots that a call needs, and its arguments without `repo:`."""

    names: tuple[str, ...]
    arguments: Mapping[str, Any]


def find_scope(tool: str, arguments: Mapping[str, Any], names: Sequence[str]) -> CallScope:
    """The scope of a call, whose roots are all unless its arguments name some."""
    known = {name.casefold(): name for name in names}
    place, query = _NARROWED.get(tool, ("", "query"))
    chosen: set[str] | None = None
    text, is_plain = arguments.get(query), arguments.get("mode") in _PLAIN_MODES
    if isinstance(text, str) and "repo:" in text and not is_plain:
        text, chosen = _replace(text, known)
        arguments = {**arguments, query: text}
    if tool not in _NARROWED:
        return CallScope(tuple(names), arguments)
    # a glob is a condition: scores are those of all roots
    given = arguments.get(place) if is_plain or not query else None
    first = given.removeprefix("./").partition("/")[0] if isinstance(given, str) else ""
    if first in names:
        chosen = {first} if chosen is None else chosen & {first}
    return CallScope(
        tuple(name for name in names if name in chosen) if chosen else tuple(names), arguments
    )


def replace_names(text: str, names: Sequence[str]) -> str:
    """A ranked query in which `repo:` is a condition of paths."""
    return _replace(text, {name.casefold(): name for name in names})[0]


def _replace(text: str, known: Mapping[str, str]) -> tuple[str, set[str] | None]:
    """The query with paths in the place of names, and the roots that it is limited to, if any."""
    found = list(_REPO.finditer(text))
    wanted = [match for match in found if not match["sign"] and _named(match, known)]
    is_plain = not _OPERATORS.search(text)
    if is_plain and len(wanted) > 1:
        together = [name for match in wanted for name in _named(match, known)]
        text = _REPO.sub(lambda match: _paths(match, known) if match["sign"] else "", text)
        paths = " OR ".join(f"path:{_quoted(name)}" for name in dict.fromkeys(together))
        return f"{text.strip()} ({paths})".strip(), set(together)
    limited = {name for match in wanted for name in _named(match, known)} if is_plain else set()
    return _REPO.sub(lambda match: _paths(match, known), text), limited or None


def _named(match: re.Match[str], known: Mapping[str, str]) -> Collection[str]:
    """The roots that a condition names; none if one of its names is unknown."""
    names = [match["quoted"]] if match["quoted"] else match["names"].split(",")
    found = [known[name.casefold()] for name in names if name.casefold() in known]
    return found if len(found) == len(names) else ()


def _paths(match: re.Match[str], known: Mapping[str, str]) -> str:
    """The condition as one of paths; a name of no root stays as it is written."""
    names = _named(match, known)
    if not names:
        return match[0]
    each: Iterator[str] = (f"{match['sign']}path:{_quoted(name)}" for name in names)
    return next(each) if len(names) == 1 else _joined(match["sign"], names)


def _joined(sign: str, names: Collection[str]) -> str:
    if sign:
        return " ".join(f"-path:{_quoted(name)}" for name in names)
    return f"({' OR '.join(f'path:{_quoted(name)}' for name in names)})"


def _quoted(name: str) -> str:
    """A glob of everything in a root."""
    glob = re.sub(r"([*?\[\]{}])", r"[\1]", name)
    return f'"/{glob}/"' if re.search(r"[\s(),;]", name) else f"/{glob}/"
