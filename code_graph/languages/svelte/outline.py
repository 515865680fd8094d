"""Where the code of a component of Svelte stands."""

from __future__ import annotations

from typing import Final

from code_graph.lines.components import SCRIPT, ComponentRules

RULES: Final = ComponentRules(
    name="svelte",
    scripts=(SCRIPT,),
    language="javascript",
    typed="typescript",
)
