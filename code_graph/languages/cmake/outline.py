"""Units of CMake, by lines."""

from __future__ import annotations

from typing import Final

from code_graph.lines.rules import HASH, LineRules, Unit, by_match, by_words

_NAME: Final = r"[ \t]*\(\s*(?P<name>[^\s()\"]+)"
_PARAMETERS: Final = r"(?P<parameters>[^()]*)\)"


def _unit(kind: str, words: str, *, is_once: bool = False) -> Unit:
    inside = ("",) if is_once else None
    return Unit(kind, rf"^[ \t]*(?:{words}){_NAME}", by_match, inside=inside, is_once=is_once)


RULES: Final = LineRules(
    name="cmake",
    comments=(r"\#\[(?P<c>=*)\[(?s:.*?)\](?P=c)\]", HASH),
    texts=(r"\[(?P<t>=*)\[(?s:.*?)\](?P=t)\]", r'"(?:[^"\\]|\\(?s:.))*"?'),
    opening=r"(?i:^[ \t]*(?:function|macro)\b(?=\s*\())",
    closing=r"(?i:^[ \t]*(?:endfunction|endmacro)\b)",
    ignores_case=True,
    imports=r"^[ \t]*(?:include|add_subdirectory|find_package)[ \t]*\(\s*(?P<module>[^\s()]+)",
    units=(
        Unit("function", rf"^[ \t]*function{_NAME}{_PARAMETERS}", by_words),
        Unit("macro", rf"^[ \t]*macro{_NAME}{_PARAMETERS}", by_words),
        _unit("target", "add_executable|add_library|add_custom_target"),
        _unit("project", "project"),
        _unit("option", "option"),
        _unit("variable", "set", is_once=True),
    ),
)
