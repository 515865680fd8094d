"""Input of tools: arguments, cursors, names of files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any, Final, cast

from repo_mcp.errors import Problem
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox.lexical import names_below
from repo_mcp.toolsets.catalog import TOOLSETS
from repo_mcp.toolsets.kit.addresses import parse_citation, path_of, uri_of
from repo_mcp.toolsets.kit.arguments import check_arguments, unknown_names
from repo_mcp.toolsets.kit.cursors import decode_cursor, encode_cursor
from repo_mcp.toolsets.kit.spec import Tool
from tests.fuzz.engine import Target, text_of
from tests.fuzz.mutations import json_bytes, mutated, tree_mutation


def refusal(problem: Problem) -> str:
    """The shape of an answer that blames an argument, in a text of bounded length."""
    assert problem.code == "argument_invalid"
    assert len(problem.reason) < _LONGEST_REASON
    # its last words: what comes before shows what was sent
    return " ".join(_SHOWN.sub("", problem.detail).split()[-2:])


# ---- arguments: the number of a tool, then an object ----

_TOOLS: Final[tuple[Tool, ...]] = tuple(tool for toolset in TOOLSETS for tool in toolset.tools)
_LONGEST_REASON: Final = 2000
_SHOWN: Final = re.compile(r"[0-9]+|'[^']*'|\"[^\"]*\"")
_TYPES: Final[dict[str, type]] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
}


def run_arguments(data: bytes) -> object:
    """Arguments are refused with a reason, or are of their types."""
    tool = _TOOLS[(data[:1] or b"\0")[0] % len(_TOOLS)]
    try:
        given = json.loads(data[1:])
    except (ValueError, RecursionError):
        return None
    if not isinstance(given, dict):
        return None
    try:
        texts = unknown_names(tool, given)
        found = check_arguments(tool, given)
    except Problem as problem:
        return tool.name, refusal(problem)
    for argument in tool.arguments:
        value = found[argument.name]
        if value is not None and not argument.properties:
            assert isinstance(value, _TYPES[argument.type])
            assert argument.minimum is None or cast("int", value) >= argument.minimum
    return tool.name, len(texts)


def argument_seeds() -> Iterator[bytes]:
    """Each tool with each of its arguments."""
    values: dict[str, Any] = {"string": "x", "integer": 3, "boolean": True, "array": ["a"]}
    for number, tool in enumerate(_TOOLS):
        given = {item.name: values.get(item.type, {}) for item in tool.arguments}
        yield bytes([number]) + json_bytes(given)
        for name, value in given.items():
            yield bytes([number]) + json_bytes({name: value})


_OBJECT: Final = tree_mutation(
    json.loads, json_bytes, sorted({item.name for tool in _TOOLS for item in tool.arguments})
)
ARGUMENTS: Final = Target(
    "arguments",
    run_arguments,
    argument_seeds,
    ("repo_mcp/toolsets/kit",),
    words=[b"1e400", b"-1e400", b"NaN", b'"true"', b'"[\\"a\\"]"', b'"{}"', b'" 12 "', b"9" * 20],
    mutation=lambda data, chance: data[:1] + _OBJECT(data[1:], chance),
)


# ---- cursors ----

_QUESTION: Final = {"query": "x"}
_KINDS: Final[tuple[tuple[type, ...], ...]] = ((), (str,), (str, int), (int,), (list,))


def run_cursor(data: bytes) -> object:
    """A cursor is refused with a reason, or holds a place of the right types."""
    text, found = text_of(data), list[object]()
    for cursor, kinds in product((text, _as_cursor(text)), _KINDS):
        try:
            position = decode_cursor(cursor, _QUESTION, *kinds)
        except Problem as problem:
            found.append(refusal(problem))
            continue
        assert [type(item) for item in position.place] == list(kinds)
        again = encode_cursor(_QUESTION, position.generation, position.place)
        assert decode_cursor(again, _QUESTION, *kinds) == position
        found.append(len(kinds))
    return found


def _as_cursor(text: str) -> str:
    """The cursor whose position is this JSON."""
    try:
        generation, *place = json.loads(text)
        return encode_cursor(_QUESTION, generation, place)
    except (ValueError, TypeError, RecursionError):
        return text


def cursor_seeds() -> Iterator[bytes]:
    """Positions as JSON, and cursors."""
    for place in ([1], [1, "a/ä.py"], [1, "a", 3], [1, 3], [1, ["a"]], [True], [1 << 70]):
        yield json.dumps(place).encode()
        yield encode_cursor(_QUESTION, place[0], place[1:]).encode()  # type: ignore[arg-type] # any value
    yield b"AAAA"


def _mutate_cursor(data: bytes, chance: Random) -> bytes:
    return tree_mutation(json.loads, json_bytes)(data, chance)


CURSOR: Final = Target(
    "cursor",
    run_cursor,
    cursor_seeds,
    ("repo_mcp/toolsets/kit/cursors.py",),
    mutation=_mutate_cursor,
)


# ---- names of files ----

_DENYLIST: Final = Denylist(["secret/**", "*.Pem"])
_ROOTS: Final = {False: ("/srv/repo", "/r"), True: ("C:\\srv\\repo", "\\\\host\\share\\r")}


def run_path(data: bytes) -> object:
    """A name stays below the root, and is denied however it is spelled."""
    text = text_of(data)
    parse_citation(text)
    path = path_of(text)
    shapes = [_shape(path, windows=windows) for windows in (False, True)]
    if _is_sound(path):
        assert path_of(uri_of(path)) == path
    rule = _DENYLIST.rule(path)
    if rule and "/" not in path:
        assert _DENYLIST.rule(f"a/{path}")
    return shapes, rule


def _shape(path: str, *, windows: bool) -> object:
    try:
        names = names_below(path, _ROOTS[windows], windows=windows)
    except Problem as problem:
        return problem.code
    for name in names:
        assert name not in {"", ".", ".."}
        assert not set(name) & set("/\0\\")
        assert len(name.encode()) <= 255
        assert not windows or ":" not in name
    return len(names)


def _is_sound(path: str) -> bool:
    return path.isprintable() and path.isascii()


def path_seeds() -> Iterator[bytes]:
    """Plain names, ways out, and names that some systems take for others."""
    yield from (
        text.encode()
        for text in (
            *(
                "a/b.py",
                "a/../b",
                "/srv/repo/a",
                "/r",
                "C:\\srv\\repo\\a",
                "c:/SRV/repo",
                "repo:///a%20b",
            ),
            *(
                "\\\\host\\share\\r\\a",
                "//host/share/r/a",
                "a:12-20",
                ".env",
                ".ENV.",
                "id_rsa",
                ".git/config",
            ),
            *(
                "PROGRA~1",
                "con.txt",
                "a:b",
                "a. ",
                "GIT~1",
                ".g\u0130t",
                "secret/x",
                "a/\u200b.env",
                "x.PEM",
            ),
        )
    )


_PATH_WORDS: Final = [
    *(
        b"/",
        b"\\",
        b"..",
        b"./",
        b"~1",
        b":",
        b".env",
        b".git",
        b"::$DATA",
        b"%2e%2e",
        b"%00",
        b"con",
    ),
    *(
        "\u200b".encode(),
        "\u0130".encode(),
        "\u017f".encode(),
        "\uff0e".encode(),
        b" ",
        b".",
        b"\x7f",
    ),
    *(b"/srv/repo/", b"C:\\srv\\repo\\", b"\\\\?\\C:\\", b"repo:///", b".pem", b"id_rsa", b".ssh/"),
]
PATH: Final = Target(
    "path",
    run_path,
    path_seeds,
    ("repo_mcp/safety", "repo_mcp/toolsets/kit/addresses.py"),
    mutation=lambda data, chance: mutated(data, chance, _PATH_WORDS),
)

TARGETS: Final = (ARGUMENTS, CURSOR, PATH)
