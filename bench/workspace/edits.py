"""Edits of a function in a file: of its body, of its name, and one more function beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from index_format.records import Record


class Function(Record):
    """A function of a tree by its place, whose lines begin at one."""

    path: str
    name: str
    line: int
    last_line: int
    language: str


# what is added at the end of a file, or before its last brace where all code is in types
_ADDED: Final[Mapping[str, str]] = {
    "python": "\n\ndef added_beside(value):\n    return value\n",
    "javascript": "\nexport function addedBeside(value) {\n  return value;\n}\n",
    "typescript": "\nexport function addedBeside(value: number): number {\n  return value;\n}\n",
    "go": "\nfunc AddedBeside(value int) int {\n\treturn value\n}\n",
    "rust": "\npub fn added_beside(value: u32) -> u32 {\n    value\n}\n",
    "java": "    public static int addedBeside(int value) {\n        return value;\n    }\n",
    "csharp": "    public static int AddedBeside(int value) { return value; }\n",
    "c": "\nint added_beside(int value)\n{\n    return value;\n}\n",
}
LANGUAGES: Final = frozenset(_ADDED)
_IN_TYPES: Final = frozenset({"java", "csharp"})


def change_body(text: str, function: Function) -> str:
    """The text with one more statement at the beginning of the function's body."""
    lines = text.split("\n")
    at = _first_of_body(lines, function)
    indent = re.match(r"\s*", lines[at])
    statement = "pass" if function.language == "python" else "{ }"
    lines.insert(at, f"{indent[0] if indent else ''}{statement}")
    return "\n".join(lines)


def add_function(text: str, function: Function) -> str:
    """The text with a function that nobody calls."""
    added = _ADDED[function.language]
    if function.language not in _IN_TYPES:
        return text + added
    head, brace, rest = text.rpartition("}")
    return f"{head}\n{added}{brace}{rest}"


def rename(text: str, function: Function) -> str:
    """The text with another name where the function is declared, and nowhere else."""
    lines = text.split("\n")
    at = function.line - 1
    lines[at] = re.sub(
        rf"\b{re.escape(function.name)}\b", f"{function.name}Moved", lines[at], count=1
    )
    return "\n".join(lines)


EDITS: Final[Mapping[str, Callable[[str, Function], str]]] = {
    "body": change_body,
    "added": add_function,
    "renamed": rename,
}


def is_editable(text: str, function: Function) -> bool:
    """True if its name stands where it is declared, and its body begins on a line of its own."""
    lines = text.split("\n")
    named = re.search(rf"\b{re.escape(function.name)}\b", lines[function.line - 1])
    return named is not None and 0 < _first_of_body(lines, function) < function.last_line


def _first_of_body(lines: Sequence[str], function: Function) -> int:
    """The index of the first line of its body; 0 if it begins on the line of something else."""
    end = ":" if function.language == "python" else "{"
    depth = 0
    for number in range(function.line - 1, min(function.last_line, len(lines))):
        line = lines[number].rstrip()
        depth += line.count("(") - line.count(")")
        if line.endswith(end) and not depth:
            return number + 1
    return 0
