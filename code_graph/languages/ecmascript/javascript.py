"""Rules of JavaScript with or without JSX, from `ecmascript`.

With types by Flow it is read as TypeScript, to which it comes close enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from code_graph.languages.ecmascript import outline as ecmascript
from code_graph.languages.ecmascript.syntax import JAVASCRIPT
from code_graph.languages.ecmascript.typescript import WITH_JSX
from code_graph.treesitter.language_rules import Rules
from code_graph.treesitter.source import blank
from index_format.records import replace

# syntax of Flow that TypeScript lacks: variance, exact and inexact objects, spread types, maybe
# types, type imports, opaque types
_FLOW: Final = re.compile(
    r"""
      (?<=[\s(,{<|])[+-](?=[A-Za-z_$\[][\w$]*+\??[\s:])
    | (?<=\{)\| | \|(?=\})
    | \.\.\.(?=[ \n]?[ ]{0,40}[},|]) | (?<=\n)[ ]*+\.\.\.[$A-Z][\w$.]*+(?>(?:<[\w$.,\ '|]*+>)?),
    | (?<=[:<(,|&=>\[])[ ]?\?(?=[ ]?[A-Za-z_$({\['"])
    | (?<=import[ ])typeof(?=\s) | (?<=[{,\s])typeof(?=[ ][A-Z]\w*+[,\s}])
    | \bopaque(?=[ ]type) | %checks
    """,
    re.VERBOSE,
)


def _without_flow(text: str) -> Iterator[str]:
    """The text with Flow's types in TypeScript's syntax."""
    yield _FLOW.sub(blank, text)


RULES: Final[Rules] = replace(
    ecmascript.SHARED,
    name="javascript",
    package="tree_sitter_javascript",
    extensions=(".js", ".jsx", ".mjs", ".cjs"),
    sheet=JAVASCRIPT,
    lowering="code_graph.languages.ecmascript.lower.lowering:JavaScriptLowering",
    second=replace(WITH_JSX, name="javascript", alternatives=_without_flow),
)
