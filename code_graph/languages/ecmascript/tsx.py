"""Rules of TypeScript with JSX, from `ecmascript`."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from code_graph.languages.ecmascript import outline as ecmascript
from code_graph.treesitter.language_rules import Rules

RULES: Final[Rules] = replace(
    ecmascript.SHARED,
    name="tsx",
    package="tree_sitter_typescript",
    grammar="language_tsx",
    extensions=(".tsx",),
    queries=("ecmascript/jsx", "ecmascript/typescript", "ecmascript/outline"),
)
