"""Units of pages, by lines: the blocks and macros that they name."""

from __future__ import annotations

from typing import Final

from code_graph.lines.rules import LineRules, Unit, by_line

_BEGIN: Final = r"\{%-?[ \t]*"

RULES: Final = LineRules(
    name="template",
    comments=(r"\{#(?s:.*?)#\}", r"<!--(?s:.*?)-->", r"<%#(?s:.*?)%>", r"\{\{!(?s:.*?)\}\}"),
    texts=(),
    word=r"[^\W\d][\w-]*",
    units=(
        Unit("block", rf"^[ \t]*{_BEGIN}block[ \t]+(?P<name>\w+)", by_line),
        Unit("macro", rf"^[ \t]*{_BEGIN}macro[ \t]+(?P<name>\w+)", by_line),
        Unit("block", r'^[ \t]*\{\{-?[ \t]*(?:define|block)[ \t]+"(?P<name>[\w./-]+)"', by_line),
    ),
)
