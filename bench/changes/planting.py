"""Breaking changes that are planted in a repository, one at a time."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from code_graph import Languages
from code_graph.brackets import matching, split_at_commas
from code_graph.facts import Declaration
from code_graph.parameters import parameters_of
from repo_mcp.indexing.build.builder import make_facts

KINDS: Final = ("rename", "remove", "parameter", "fewer", "type")
_FUNCTIONS: Final = frozenset({"function", "method"})
_MARK: Final = "planted_here"
_TRIES: Final = 20_000
# a parameter that must be given, and a type that no other one goes with, by the end of a file
_PARAMETER: Final = {
    ".py": _MARK,
    ".ts": f"{_MARK}: {{planted: symbol}}",
    ".go": f"{_MARK} chan struct{{}}",
    ".c": f"struct {_MARK} *planted",
    ".java": f"StackWalker {_MARK}",
}
_TYPE: Final = {
    ".py": "frozenset[complex]",
    ".ts": "{planted: symbol}",
    ".go": "chan struct{}",
    ".java": "StackWalker",
}
_RECEIVERS: Final = ("self", "cls")


class PlantedChange(NamedTuple):
    """A change of one declaration: the new text of its file."""

    kind: str
    path: str
    name: str
    first: int  # lines of the declaration, before
    last: int
    text: str


def planted(root: Path, paths: Sequence[str], seed: int) -> Iterator[PlantedChange]:
    """Different changes of random functions, of all kinds in turn, as long as some are found."""
    chance = random.Random(seed)
    languages = Languages()
    known: dict[str, tuple[str, list[Declaration]]] = {}
    for path in paths:
        text = (root / path).read_text("utf-8", "replace")
        facts = make_facts(languages, path, text)
        if facts is not None:
            # others are declared in a header, too, which calls go by
            is_of_c = path.endswith(".c")
            own = [
                item
                for item in facts.declarations
                if _is_fit(item) and ("static" in item.modifiers or not is_of_c)
            ]
            known[path] = text, own
    every = [(path, item) for path, (_, own) in known.items() for item in own]
    number = 0
    known_ones: set[tuple[str, str, int]] = set()
    for _ in range(_TRIES):
        path, declared = chance.choice(every)
        kinds = [kind for kind in KINDS if kind != "type" or Path(path).suffix in _TYPE]
        kind = kinds[number % len(kinds)]
        text, ending = known[path][0], Path(path).suffix
        made = _changed(kind, text, declared, ending)
        if made is not None and ending == ".c":
            made = _with_prototypes(kind, made, declared.name)
        one = kind, path, declared.name_line
        if made is not None and made != text and one not in known_ones:
            known_ones.add(one)
            number += 1
            lines = declared.start_line, declared.end_line
            yield PlantedChange(kind, path, declared.name, *lines, made)


def _is_fit(item: Declaration) -> bool:
    is_dunder = item.name.startswith("__")
    return item.kind in _FUNCTIONS and item.scope_kind != "function" and not is_dunder


def _changed(kind: str, text: str, declared: Declaration, ending: str) -> str | None:
    rows = text.split("\n")
    before = "\n".join(rows[: declared.name_line - 1])
    begin = len(before) + (declared.name_line > 1) + declared.name_column
    name = declared.name.rpartition(".")[2]
    if not text.startswith(name, begin):
        return None
    end = begin + len(name)
    if kind == "rename":
        return f"{text[:end]}_{_MARK}{text[end:]}"
    if kind == "remove":
        kept = "pass" if ending == ".py" else ""
        indent = " " * (
            len(rows[declared.start_line - 1]) - len(rows[declared.start_line - 1].lstrip())
        )
        left = [*rows[: declared.start_line - 1], indent + kept, *rows[declared.end_line :]]
        return "\n".join(left)
    opened = text.find("(", end)
    closed = (
        matching(text, opened) if opened >= 0 and not text[end:opened].strip(" <TUVK>,") else -1
    )
    if closed < 0:
        return None
    return _other_parameters(kind, text, opened, closed, ending)


def _with_prototypes(kind: str, text: str, name: str) -> str | None:
    """A text whose prototypes of a function have changed as its definition has."""
    changed = f"{name}_{_MARK}" if kind == "rename" else name
    form = r"^static\b[^;{}()#=]*?\b%s\s*(?=\()"
    defined = None
    for found in re.finditer(form % changed, text, re.MULTILINE):
        closed = matching(text, found.end())
        if closed >= 0 and text[closed + 1 :].lstrip().startswith("{"):
            defined = text[found.end() : closed + 1]
    if defined is None and kind != "remove":
        return None
    parts: list[str] = []
    last = 0
    for found in re.finditer(form % name, text, re.MULTILINE):
        closed = matching(text, found.end())
        if closed < 0 or not text[closed + 1 :].lstrip().startswith(";"):
            continue
        if kind == "remove":
            parts.append(text[last : found.start()])
            last = text.index(";", closed) + 1
        else:
            start = text.rindex(name, found.start(), found.end())
            parts.append(f"{text[last:start]}{changed} {defined}")
            last = closed + 1
    return "".join(parts) + text[last:]


def _other_parameters(kind: str, text: str, opened: int, closed: int, ending: str) -> str | None:
    parts = split_at_commas(text[opened + 1 : closed])
    own = [part for part in parts if part in _RECEIVERS]
    rest = [part for part in parts if part not in own and part != "void"]
    if kind == "parameter":
        if ending not in _PARAMETER:
            return None
        rest = [_PARAMETER[ending], *rest]
    elif kind == "fewer":
        if not rest or not _is_plain(rest[0]):
            return None
        rest = rest[1:]
    else:
        if ending not in _TYPE or not rest or not _is_plain(rest[0]):
            return None
        name = parameters_of(f"({rest[0]})", names_first=ending == ".go")[0].name
        default = rest[0].partition("=")[2] if ending == ".py" else ""
        rest[0] = _typed(name, ending) + (f" ={default}" if default else "")
        if rest[0].replace(" ", "") == parts[len(own)].replace(" ", ""):
            return None
    return text[: opened + 1] + ", ".join([*own, *rest]) + text[closed:]


def _typed(name: str, ending: str) -> str:
    """A parameter of a type that no argument goes with."""
    if ending == ".java":
        return f"{_TYPE[ending]} {name}"
    return f"{name}{' ' if ending == '.go' else ': '}{_TYPE[ending]}"


def _is_plain(part: str) -> bool:
    """True for a parameter that takes one argument."""
    return bool(parameters_of(f"({part})")) and part[:1] not in "*/{[." and "..." not in part
