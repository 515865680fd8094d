"""TypeScript with elements, by the rules of `rules_ecmascript`."""

from __future__ import annotations

from typing import Final

from repo_mcp.languages import ecmascript_imports, rules_ecmascript
from repo_mcp.languages.treesitter_rules import Rules

RULES: Final = Rules(
    name="tsx",
    package="tree_sitter_typescript",
    grammar="language_tsx",
    extensions=(".tsx",),
    queries=("jsx", "typescript", "ecmascript"),
    refine=rules_ecmascript.refine,
    imports=ecmascript_imports.imports,
    doc_marks=("/**",),
    builtins=rules_ecmascript.BUILTINS,
    leaves=rules_ecmascript.HOLDING_NOTHING,
    not_local=rules_ecmascript.ONLY_GLOBAL,
    owning=rules_ecmascript.OWNING,
    known_only=True,
    plain_doc=rules_ecmascript.plain_doc,
    deprecated_mark="@deprecated",
)
