"""Reads values of parsed manifests, which may have any shape, and plain text of build files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from code_graph.formats.jsonc import JsonError, parse
from code_graph.formats.toml import TomlError, parse_toml
from code_graph.projects.model import ManifestError
from code_graph.projects.tree import join

_MAX_TOML: Final = 256 << 10
_MAX_COMMENTED_JSON: Final = 256 << 10
MAX_NAME: Final = 300
MAX_ITEMS: Final = 2000
# how package managers of JavaScript write that a dependency is a folder
LOCAL: Final = ("link:", "file:", "portal:", "workspace:")

# a string, or a comment of the C family; an unfinished string ends with its line
_COMMENT: Final = re.compile(
    r'"""(?>(?:[^"\\]++|\\.|"(?!""))*)"""|"(?:[^"\\\n]++|\\.)*+"?+|\'(?:[^\'\\\n]++|\\.)*+\'?+'
    r"|//[^\n]*+|(?>/\*[\s\S]*?(?:\*/|\Z))",
    re.DOTALL,
)


def toml_table(text: str) -> dict[str, Any]:
    """The table of a TOML file."""
    if len(text) > _MAX_TOML:
        raise ManifestError(f"it has more than {_MAX_TOML} characters")
    try:
        return parse_toml(text)
    except TomlError as error:
        raise ManifestError(f"it is not TOML: {error}") from None


def json_table(text: str, *, comments: bool = False) -> dict[str, Any]:
    """The object of a JSON file, with comments if that is allowed."""
    plain = text.removeprefix("\ufeff")
    try:
        value = json.loads(plain)
    except (ValueError, RecursionError) as error:
        if not comments:
            raise ManifestError(f"it is not JSON: {error}") from None
        value = _commented_json(plain)
    if not isinstance(value, dict):
        raise ManifestError("it is not a JSON object")
    return value


def _commented_json(text: str) -> object:
    if len(text) > _MAX_COMMENTED_JSON:
        raise ManifestError(f"it has more than {_MAX_COMMENTED_JSON} characters")
    try:
        return parse(text).value
    except JsonError as error:
        raise ManifestError(str(error)) from None


def text_of(value: object) -> str:
    """The value if it is a short text without line ends, or an empty text."""
    if isinstance(value, str) and len(value) <= MAX_NAME and value.isprintable():
        return value.strip()
    return ""


def texts_of(value: object) -> tuple[str, ...]:
    """The texts of a list, or the one text."""
    items = value if isinstance(value, list) else [value]
    return tuple(text for text in map(text_of, items[:MAX_ITEMS]) if text)


def table_of(value: object, *names: str) -> Mapping[str, Any]:
    """The table at this path of names in a table; empty if there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def tables_of(value: object) -> Sequence[Mapping[str, Any]]:
    """The tables in a list."""
    items = value[:MAX_ITEMS] if isinstance(value, list) else []
    return [item for item in items if isinstance(item, dict)]


def folder_name(folder: str) -> str:
    """The name of a project that declares none: that of its folder."""
    return folder.rpartition("/")[2] or "."


def without_comments(text: str) -> str:
    """Source of the C family with its comments blank; strings stay."""
    return _COMMENT.sub(lambda found: " " if found[0].startswith("/") else found[0], text)


def ini_options(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """Section, option and the lines of its value, of an INI file whose values may be indented."""
    section = option = ""
    lines: list[str] = []
    for line in text.splitlines():
        plain = line.strip()
        if not plain or plain[0] in "#;":
            continue
        if line[0] in " \t" and option:
            lines.append(plain)
            continue
        if option:
            yield section, option, lines
        option, lines = "", []
        if plain[0] == "[" and plain[-1] == "]":
            section = plain[1:-1].strip()
            continue
        name, mark, value = _split_option(plain)
        if mark:
            option, lines = name, [value] if value else []
    if option:
        yield section, option, lines


def _split_option(line: str) -> tuple[str, str, str]:
    at = min((at for at in (line.find("="), line.find(":")) if at > 0), default=-1)
    if at < 0:
        return "", "", ""
    return line[:at].strip().lower(), line[at], line[at + 1 :].strip()


def local_folders(
    folder: str, dependencies: Iterable[tuple[str, object]]
) -> Iterator[tuple[str, str]]:
    """Dependencies that a manifest has a folder for, as `{path = "../x"}` or `file:../x`."""
    for name, value in list(dependencies)[:MAX_ITEMS]:
        where = text_of(table_of(value).get("path"))
        plain = text_of(value)
        if plain.startswith(LOCAL):
            where = plain.partition(":")[2]
        if where.startswith("."):
            target = join(folder, where)
            if target is not None:
                yield name, target
