"""Texts that name a place and something there: `path:line`, `path:name`, `folder:name`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph.paths.installed import INSTALLED

_LINE: Final = re.compile(r"(.+?):([0-9]{1,9})(?::[0-9]{1,9})?")
_NAME: Final = re.compile(r"(.+?):(?!:)(.+)")
# dots of a text behind which a title may begin
_MOST_TITLES: Final = 12
# what traces and code write around the parts of a name: pointers, and arguments of types
_RECEIVER: Final = re.compile(r"\(\s*[*&]*\s*([\w.:]+)\s*\)")
_AS_TRAIT: Final = re.compile(r"^<\s*([^<>]+?)\s+as\s+[^<>]+>")
_ARGUMENTS: Final = re.compile(r"(?<=[\w:])<[^<>]*>|(?<=\w)\[[^\[\]]*\]")
# what a name has behind it to tell an overload, or to say that it is called
PARAMETERS: Final = re.compile(r"(?<=\w)\(([^()]*)\)$")
# of the JVM's names: between a class and one in it, and behind an object
_NESTED: Final = re.compile(r"(?<=\w)\$(?=\w)")
_OBJECT: Final = re.compile(r"(?<=\w)\$(?=\.|$)")
_SEPARATORS: Final = re.compile(r"::|#|->|\\")


def with_dots(name: str) -> str:
    """A name with dots between its parts, whatever its language writes there."""
    return _SEPARATORS.sub(".", name)


def without_parameters(text: str) -> str:
    """A name without parentheses behind it."""
    return PARAMETERS.sub("", text.strip())


def plain_name(text: str, implicit: frozenset[str]) -> str:
    """A name without pointers, type arguments and the `implicit` parts that no declaration has."""
    name = _AS_TRAIT.sub(r"\1", text).lstrip("*&")
    name = with_dots(_RECEIVER.sub(r"\1", _ARGUMENTS.sub("", PARAMETERS.sub("", name))))
    parts = [part for part in name.split(".") if part and part not in implicit]
    return _NESTED.sub(".", _OBJECT.sub("", ".".join(parts)))


def line_in_place(text: str) -> tuple[str, int] | None:
    """The file and the line that a text names, or None."""
    found = _LINE.fullmatch(text)
    return None if found is None else (found[1], int(found[2]))


def name_in_place(text: str) -> tuple[str, str] | None:
    """The file or folder that a text names, and the name there, or None."""
    # folders of installed packages have a colon themselves
    begin = INSTALLED if text.startswith(INSTALLED) else ""
    found = _NAME.fullmatch(text.removeprefix(begin))
    return None if found is None else (begin + found[1].rstrip("/"), found[2])


def titles_in(text: str) -> Iterator[str]:
    """The titles that a text may end with: all of it, and what is behind each dot of it."""
    begin = 0
    for _ in range(_MOST_TITLES):
        yield text[begin:]
        begin = text.find(".", begin) + 1
        if not begin:
            break
