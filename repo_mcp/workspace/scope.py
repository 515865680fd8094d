"""Finds the roots that a call is about, so that no others are opened; `repo:` in queries.

A query may say `repo:name` and `-repo:name`; several `repo:` are alternatives. They become
conditions of paths, which searches know. Those that are named are asked alone: scores are those of
one index of these roots. Questions about the past are of paths, and have `repo:name` as one; the
name of a symbol is looked for below the root.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from code_graph.paths.globs import split_globs
from index_format.tuples import NamedTuple
from repo_mcp.model import AnswerWarning

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
_GLOBS: Final = frozenset({"file_glob", "glob"})
# modes whose queries have no conditions and whose answers no scores
_PLAIN_MODES: Final = frozenset({"literal", "regex", "structure"})
_REPO: Final = re.compile(
    r"(?:(?<=^)|(?<=[\s(]))(?P<sign>-?)repo:(?:\"(?P<quoted>[^\"]+)\"|(?P<names>[^\s()\"]+))"
)
# tools whose texts have no conditions, with the argument that restricts their answers
_OF_PATH: Final[Mapping[str, str]] = {"repo.history": "path", "repo.changes": "path"}
# arguments that name a symbol
_SYMBOLS: Final = frozenset({"name", "node_id", "qualified_name", "source", "target"})
_NAMES: Final = "names"
# further queries, which may be about other roots
_FURTHER: Final = "queries"
# arguments of other tools that are a folder or a file, and nothing else
_PLACES: Final = frozenset({"path"})
_REVISION: Final = "rev"
# roots that a warning names
_MOST_TOLD: Final = 20
_REV: Final = re.compile(r"(?:^|(?<=[\s(]))rev:[^\s]")
_OPERATORS: Final = re.compile(r"\b(?:AND|OR|NOT)\b|[()]")


class CallScope(NamedTuple):
    """The roots that a call needs, its arguments without `repo:`, and what is said about these."""

    names: tuple[str, ...]
    arguments: Mapping[str, Any]
    warnings: tuple[AnswerWarning, ...] = ()


def find_scope(tool: str, arguments: Mapping[str, Any], names: Sequence[str]) -> CallScope:
    """The scope of a call, whose roots are all unless its arguments name some."""
    known = {name.casefold(): name for name in names}
    if tool in _OF_PATH:
        return CallScope(tuple(names), _with_path(arguments, _OF_PATH[tool], known))
    place, query = _NARROWED.get(tool, ("", "query"))
    chosen: set[str] | None = None
    text, is_plain = arguments.get(query), arguments.get("mode") in _PLAIN_MODES
    warnings: tuple[AnswerWarning, ...] = ()
    if isinstance(text, str) and "repo:" in text:
        warnings = tuple(_warnings(text, known, is_plain=is_plain))
        if not is_plain:
            text, chosen = _replace(text, known)
            arguments = {**arguments, query: text}
    if not is_plain and isinstance(further := arguments.get(_FURTHER), list) and further:
        texts = [replace_names(item, names) for item in further if isinstance(item, str)]
        arguments, chosen = {**arguments, _FURTHER: texts}, None
    if tool in _NARROWED:
        # a glob is a condition: scores are those of all roots
        given = arguments.get(place) if is_plain or not query else None
        first = {*_first_folders(place, given)} if isinstance(given, str) else set()
        if first and first <= {*names}:
            chosen = first if chosen is None else chosen & first
            chosen |= {*_roots_of_ranges(arguments)} & {*names}
    # the query of these modes has no conditions, and may have these words
    of_revision = _is_of_revision(arguments, query if is_plain else "")
    if tool not in _NARROWED and not of_revision:
        chosen = None
    if of_revision and not chosen:
        chosen, arguments = _root_of_revision(arguments, known, query if is_plain else "")
    if not of_revision:
        arguments = {key: _with_place(key, value, known) for key, value in arguments.items()}
    found = tuple(name for name in names if name in chosen) if chosen else tuple(names)
    return CallScope(found, arguments, warnings)


def _first_folders(place: str, given: str) -> Iterator[str]:
    """The first folder of a path, or of each glob of a list that includes files."""
    for text in split_globs(given)[0] if place in _GLOBS else (given,):
        yield text.removeprefix("./").partition("/")[0]


def _roots_of_ranges(arguments: Mapping[str, Any]) -> Iterator[str]:
    """The first folders of further places to open."""
    ranges = arguments.get("ranges")
    for place in ranges if isinstance(ranges, list) else ():
        if isinstance(place, str):
            yield place.removeprefix("./").partition("/")[0]


def _is_of_revision(arguments: Mapping[str, Any], plain: str) -> bool:
    """True if a call names a revision; the argument `plain` is text without conditions."""
    return bool(arguments.get(_REVISION)) or any(
        isinstance(value, str) and key != plain and _REV.search(value)
        for key, value in arguments.items()
    )


def _root_of_revision(
    arguments: Mapping[str, Any], known: Mapping[str, str], plain: str
) -> tuple[set[str], Mapping[str, Any]]:
    """The root that a call about a revision names in any text, by `repo:` or as a path."""
    chosen: set[str] = set()
    left = dict(arguments)
    for key, value in arguments.items():
        if not isinstance(value, str) or key in {_REVISION, plain}:
            continue
        left[key], found = _without_names(value, known)
        for word in left[key].split():
            first, slash, _ = word.removeprefix("./").partition("/")
            if first in known.values() and (slash or key in _PLACES):
                found.append(first)
        chosen.update(found)
    return chosen, left if chosen else arguments


def _with_path(
    arguments: Mapping[str, Any], path: str, known: Mapping[str, str]
) -> Mapping[str, Any]:
    """The arguments with a `repo:` of any text as the path, unless they have one."""
    left, named = dict(arguments), list[str]()
    for key, value in arguments.items():
        if isinstance(value, str) and "repo:" in value:
            left[key], found = _without_names(value, known)
            named += found
    if len(set(named)) != 1:
        return arguments
    if not left.get(path):
        left[path] = named[0]
    return left


def _with_place(key: str, value: object, known: Mapping[str, str]) -> object:
    """The name of a symbol with the root that `repo:` names in the place of a folder."""
    if key == _NAMES and isinstance(value, list):
        return [_with_place("name", item, known) for item in value]
    if key not in _SYMBOLS or not isinstance(value, str) or "repo:" not in value:
        return value
    left, found = _without_names(value, known)
    return f"{found[0]}:{left}" if len(found) == 1 and left else value


def _without_names(text: str, known: Mapping[str, str]) -> tuple[str, list[str]]:
    """A text without the `repo:` that name roots, and these."""
    wanted = [match for match in _REPO.finditer(text) if not match["sign"]]
    found = [name for match in wanted for name in _named(match, known)]
    if not found:
        return text, []
    kept = _REPO.sub(
        lambda match: "" if not match["sign"] and _named(match, known) else match[0], text
    )
    return " ".join(kept.split()), found


def _warnings(text: str, known: Mapping[str, str], *, is_plain: bool) -> Iterator[AnswerWarning]:
    """Warnings of each `repo:` of a query that is not understood."""
    for match in _REPO.finditer(text):
        named = _named(match, known)
        if is_plain and named:
            glob = f"file_glob {next(iter(named))}/**"
            told = f"{match[0]} is a part of the text here; {glob} restricts the answer to a root"
            yield AnswerWarning("root_in_text", told)
        elif not is_plain and not named:
            roots = ", ".join([*known.values()][:_MOST_TOLD])
            told = f"{match[0]} names no root, and was searched as words; roots: {roots}"
            yield AnswerWarning("root_unknown", told)


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
