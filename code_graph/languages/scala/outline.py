"""Units of Scala, by lines."""

from __future__ import annotations

from typing import Final

from code_graph.lines.rules import (
    BLOCK,
    DOUBLE,
    SLASHES,
    TRIPLE,
    Blocks,
    End,
    LineRules,
    Unit,
    by_line,
)

_BEFORE: Final = (
    r"^[ \t]*(?:@\w+(?:\([^)\n]*\))?[ \t]+)*(?:(?:(?:private|protected)(?:\[\w+\])?|abstract|final"
    r"|sealed|implicit|lazy|override|case|inline|open|opaque|transparent|infix)[ \t]+)*"
)
_BASES: Final = (
    r"(?:[^\n{]*?\bextends[ \t]+(?P<bases>[^\n{]+?)(?=[ \t]*(?:[{:][ \t]*)?$|[ \t]*\{))?"
)
_NAME: Final = r"[ \t]+(?P<name>[\w$]+|`[^`\n]+`|[^\s\w()\[\]{}.,;:\"'`]+)"
_PARAMETERS: Final = r"(?:\[[^\]\n]*\])?[ \t]*(?P<parameters>\([^()]*(?:\([^()]*\)[^()]*)*\))?"
# a value may be an object with methods of its own
_IN: Final = ("class", "object", "trait", "enum", "extension", "given", "constant")
_EVERYWHERE: Final = ("", "package", *_IN)


def _by_body(blocks: Blocks, start: int, match_end: int) -> int:
    """The end of a body: of its braces, or of the lines that are indented more."""
    return max(blocks.indented(start), blocks.block(start, match_end))


def _unit(
    words: str, behind: str, inside: tuple[str, ...] | None = None, end: End = _by_body
) -> Unit:
    return Unit(words, rf"{_BEFORE}{words}{_NAME}{behind}", end, inside=inside)


RULES: Final = LineRules(
    name="scala",
    comments=(SLASHES, BLOCK),
    texts=(TRIPLE, DOUBLE, r"'(?:[^'\\\n]|\\[^\n]{1,6}?)'"),
    word=r"[^\W\d][\w$]*",
    imports=r"^[ \t]*import[ \t]+(?P<module>[\w.]+)",
    units=(
        Unit("package", r"^package[ \t]+(?!object\b)(?P<name>[\w.]+)", by_line, inside=("",)),
        Unit("object", rf"{_BEFORE}(?:package[ \t]+)?object{_NAME}{_BASES}", _by_body),
        _unit("class", _PARAMETERS + _BASES),
        _unit("trait", _BASES),
        _unit("enum", _BASES),
        _unit("given", "", _EVERYWHERE),
        Unit("function", rf"{_BEFORE}def{_NAME}{_PARAMETERS}", _by_body, inside=("", "package")),
        Unit("method", rf"{_BEFORE}def{_NAME}{_PARAMETERS}", _by_body, inside=_IN),
        _unit("type", "", _EVERYWHERE, by_line),
        Unit("constant", rf"{_BEFORE}val[ \t]+(?P<name>\w+)", _by_body, inside=_EVERYWHERE),
        Unit("variable", rf"{_BEFORE}var[ \t]+(?P<name>\w+)", _by_body, inside=_EVERYWHERE),
        Unit("enumerator", r"^[ \t]*case[ \t]+(?P<name>\w+)", by_line, inside=("enum",)),
    ),
)
