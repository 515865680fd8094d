"""Definitions in a tree as universal-ctags finds them: not by the program that is judged."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.ranking.judgements import Place

_WORD: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_LANGUAGES: Final = "C,C++,C#,Go,Java,JavaScript,Python,Rust,Swift,TypeScript"
# copies of others' work, bundles, and what a list of places can't hold
_NOT_OWN: Final = re.compile(r"(^|/)(vendor|third_party|3rdparty|node_modules)/|\.min\.js$|\s")
_FUNCTIONS: Final = frozenset({"func", "function", "method"})
_TYPES: Final = frozenset({"class", "enum", "interface", "struct", "trait", "type", "union"})
# attributes and modifiers
_BEFORE: Final = r"^[ \t]*([a-z@()]+[ \t]+)*"
_SWIFT: Final = (
    "--langdef=Swift",
    "--map-Swift=.swift",
    "--kinddef-Swift=f,function,functions",
    "--kinddef-Swift=c,class,types",
    rf"--regex-Swift=/{_BEFORE}func[ \t]+([A-Za-z_][A-Za-z0-9_]*)/\2/f/",
    rf"--regex-Swift=/{_BEFORE}(class|struct|enum|protocol|actor)[ \t]+([A-Z]\w*)/\3/c/",
)
_OPTIONS: Final = (
    *_SWIFT,
    f"--languages={_LANGUAGES}",
    "--map-TypeScript=+.tsx",
    "--output-format=json",
    "--fields=+nelzK",
    "--extras=-{anonymous}",
    "--sort=no",
)


@dataclass(frozen=True, slots=True)
class Definition:
    """A function or type, its lines, and in which language it is written."""

    name: str
    place: Place
    is_function: bool
    language: str


def words(name: str) -> list[str]:
    """The words that a name is made of, as written."""
    return _WORD.findall(name)


def folded(name: str) -> str:
    """A name folded so that all ways of joining its words are equal."""
    return "".join(words(name)).lower()


def unique(root: Path, texts: Mapping[str, str]) -> list[Definition]:
    """Functions and types whose name, however written, is declared once in the whole tree."""
    every = list(tags(root))
    counts = Counter(folded(tag["name"]) for tag in every)
    found = (_definition(tag, texts) for tag in every if counts[folded(tag["name"])] == 1)
    return [definition for definition in found if definition is not None]


def tags(root: Path) -> Iterator[dict[str, Any]]:
    """All definitions, as ctags describes them."""
    command = ["ctags", *_OPTIONS, "--recurse", "-f", "-", "."]
    with subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            tag = json.loads(line.decode("utf-8", "replace"))
            if tag.get("kind") not in {"local", "parameter", "label", "package", "namespace"}:
                tag["path"] = tag["path"].removeprefix("./")
                yield tag
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)


def _definition(tag: Mapping[str, Any], texts: Mapping[str, str]) -> Definition | None:
    kind, path, line = tag["kind"], tag["path"], tag.get("line", 0)
    if kind not in _FUNCTIONS | _TYPES or path not in texts or _NOT_OWN.search(path):
        return None
    rows = texts[path].split("\n")
    if not 0 < line <= len(rows):
        return None
    last = tag.get("end") or end_by_indentation(rows, line)
    place = Place(path, line, max(line, min(last, len(rows))))
    return Definition(tag["name"], place, kind in _FUNCTIONS, tag["language"])


def end_by_indentation(rows: Sequence[str], line: int) -> int:
    """The last line of what begins at a line: the next one as far left that closes a brace."""
    begin = rows[line - 1]
    left = len(begin) - len(begin.lstrip())
    for number in range(line, len(rows)):
        row = rows[number]
        inner = row.lstrip()
        if not inner or len(row) - len(inner) > left or inner[0] in "){":
            continue
        return number + 1 if inner[0] == "}" else number
    return len(rows)
