"""Reads small XML files that are not trusted into elements.

A document type is refused before anything in it is read, so no entity can be declared and none
expands. Depth and the number of elements are limited.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Final
from xml.parsers import expat

MAX_CHARACTERS: Final = 1 << 20
_MAX_DEPTH: Final = 100
_MAX_ELEMENTS: Final = 50_000
# characters of the text of one element that are kept
_MAX_TEXT: Final = 4096


class XmlError(Exception):
    """A text is not XML, or is over a limit; the message says why."""


class Element:
    """An element: its name without a namespace, attributes, elements in it, and text."""

    __slots__ = ("attributes", "children", "name", "text")

    def __init__(self, name: str, attributes: dict[str, str]) -> None:
        self.name = name
        self.attributes = attributes
        self.children: list[Element] = []
        self.text = ""

    def child(self, name: str) -> Element | None:
        """The first element of this name directly in it."""
        return next((child for child in self.children if child.name == name), None)

    def text_of(self, *names: str) -> str:
        """The text of the element at this path of names; empty if there is none."""
        found: Element | None = self
        for name in names:
            found = found.child(name) if found is not None else None
        return found.text.strip() if found is not None else ""

    def all(self, name: str) -> Iterator[Element]:
        """All elements of this name in it, at any depth, in the order of the text."""
        stack = [self]
        while stack:
            element = stack.pop()
            if element.name == name:
                yield element
            stack.extend(reversed(element.children))


def parse_xml(text: str) -> Element:
    """The root element of a text; raises `XmlError`."""
    if len(text) > MAX_CHARACTERS:
        raise XmlError(f"it has more than {MAX_CHARACTERS} characters")
    builder = _Builder()
    builder.read(text)
    return builder.root


class XmlReader(ABC):
    """Reads a text by the events of a parser; one with a document type is refused."""

    def __init__(self) -> None:
        """Nothing is read yet."""
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._refuse
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._add_text

    def read(self, text: str) -> None:
        """Read all of a text; raises `XmlError`, as the handlers of events may."""
        try:
            self._parser.Parse(text.removeprefix("\ufeff"), True)  # noqa: FBT003 it takes no name
        except (expat.ExpatError, ValueError) as error:
            raise XmlError(f"it is not XML: {error}") from None

    def _refuse(self, *_: object) -> None:
        raise XmlError("it has a document type, which is not read")

    @property
    def _line(self) -> int:
        """The line of the current event."""
        return self._parser.CurrentLineNumber

    @abstractmethod
    def _start(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""

    @abstractmethod
    def _end(self, name: str) -> None:
        """An element ends."""

    @abstractmethod
    def _add_text(self, text: str) -> None:
        """Text of an element."""


class _Builder(XmlReader):
    """Builds elements from the events of a parser."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self._open: list[Element] = []
        self._count = 0

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > _MAX_ELEMENTS or len(self._open) >= _MAX_DEPTH:
            raise XmlError("it has too many elements, or too deep in each other")
        element = Element(name.rpartition(":")[2], attributes)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)

    def _end(self, _: str) -> None:
        self._open.pop()

    def _add_text(self, text: str) -> None:
        # text between elements is spaces only in the files read here, and names are short
        if self._open and not self._open[-1].children:
            element = self._open[-1]
            element.text = (element.text + text[:_MAX_TEXT])[:_MAX_TEXT]
