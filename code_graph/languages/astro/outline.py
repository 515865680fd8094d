"""Where the code of a component of Astro stands: between the dashes at its top."""

from __future__ import annotations

from typing import Final

from code_graph.lines.components import SCRIPT, ComponentRules

RULES: Final = ComponentRules(
    name="astro",
    scripts=(r"\A\s*---[ \t]*\r?\n(?P<body>(?s:.*?))(?:\n---[ \t]*\r?$|\Z)",),
    others=(r"<style\b(?s:.*?)</style\s*>", SCRIPT),
    language="typescript",
    typed="typescript",
)
