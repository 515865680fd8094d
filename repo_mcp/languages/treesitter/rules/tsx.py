"""TypeScript with elements, by the rules of `ecmascript`."""

from __future__ import annotations

from typing import Final

from repo_mcp.languages.treesitter.language_rules import Rules
from repo_mcp.languages.treesitter.rules import ecmascript

RULES: Final = Rules(
    name="tsx",
    package="tree_sitter_typescript",
    grammar="language_tsx",
    extensions=(".tsx",),
    queries=("jsx", "typescript", "ecmascript"),
    refine=ecmascript.refine,
    imports=ecmascript.imports,
    doc_marks=("/**",),
    builtins=ecmascript.BUILTINS,
    leaves=ecmascript.HOLDING_NOTHING,
    not_local=ecmascript.ONLY_GLOBAL,
    owning=ecmascript.OWNING,
    known_only=True,
    plain_doc=ecmascript.plain_doc,
    deprecated_mark="@deprecated",
)
