"""Names of arguments that tell places: queries, globs, paths, symbols and revisions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from code_graph.paths.globs import split_globs
from repo_mcp.place.conditions import PlaceCondition, take_names

QUERY: Final = "query"
# questions, whose conditions name places, too
QUERIES: Final = (QUERY, "question", "task", "goal", "topic")
FURTHER_QUERIES: Final = "queries"
GLOBS: Final = frozenset({"file_glob", "glob"})
# a folder or a file, and nothing else
PATHS: Final = frozenset({"path"})
# further places to open
RANGES: Final = "ranges"
SYMBOLS: Final = frozenset(
    ["name", "names", "symbols", "symbol_name", "node_id", "qualified_name", "source", "target"]
)
# pages give a revision to tools that have no argument for it
INNER_REVISION: Final = "at_revision"
REVISIONS: Final = ("rev", INNER_REVISION)
# modes whose queries are texts to be found, without conditions
_LINE_MODES: Final = frozenset({"literal", "regex", "structure"})


def is_of_lines(arguments: Mapping[str, Any]) -> bool:
    """True if the query of a call is a text to be found in lines."""
    return arguments.get("mode") in _LINE_MODES


def texts_of(value: object) -> Sequence[str]:
    """The text of an argument, or the texts of a list."""
    if isinstance(value, str):
        return [value]
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def take_from_all(
    arguments: Mapping[str, Any],
    key: str,
    named: Callable[[PlaceCondition], Collection[str]],
) -> tuple[list[str], Mapping[str, Any]]:
    """The names that conditions of all texts stand for, and the arguments without these."""
    names: list[str] = []

    def without(text: str) -> str:
        of_text, left = take_names(text, key, named)
        names.extend(of_text)
        return left

    left = {
        name: value if name == QUERY and is_of_lines(arguments) else change_texts(value, without)
        for name, value in arguments.items()
    }
    return names, left


def change_texts(value: object, changed: Callable[[str], str]) -> object:
    """The argument with each of its texts changed."""
    if isinstance(value, list):
        return [change_texts(part, changed) for part in value]
    return changed(value) if isinstance(value, str) else value


def paths_of(name: str, value: object) -> Iterator[str]:
    """The paths of an argument; of globs, those that include files."""
    for text in texts_of(value):
        for path in split_globs(text)[0] if name in GLOBS else (text,):
            yield path.removeprefix("./")
