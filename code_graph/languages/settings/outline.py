"""Units of settings, by lines: each line that gives a name a value."""

from __future__ import annotations

from typing import Final

from code_graph.lines.rules import DOUBLE, HASH_ALONE, LineRules, Unit, by_line

RULES: Final = LineRules(
    name="settings",
    comments=(HASH_ALONE,),
    texts=(DOUBLE,),
    word=r"[^\W\d][\w.-]*",
    units=(
        # of an environment, of properties, of a list
        Unit("variable", r"^(?:export[ \t]+)?(?P<name>[A-Za-z_][\w.-]*)[ \t]*=", by_line),
        Unit("variable", r"^[ \t]+(?P<name>[A-Z][A-Z0-9_]+)[ \t]*=", by_line),
        Unit("variable", r"^[ \t]+-[ \t]+(?P<name>[A-Za-z_]\w*)=", by_line),
        # of a map, and of a manifest
        Unit("variable", r"^[ \t]+(?P<name>[A-Z][A-Z0-9_]+):", by_line),
        Unit("variable", r"^[ \t]*-[ \t]+name:[ \t]+(?P<name>[A-Z][A-Z0-9_]+)[ \t]*$", by_line),
    ),
)
