"""Units of OpenAPI, by lines."""

from __future__ import annotations

from typing import Final

from code_graph.lines.rules import HASH_ALONE, LineRules, Unit, by_indent, by_line

_SECTIONS: Final = "schemas|responses|parameters|requestBodies|securitySchemes|headers|definitions"

RULES: Final = LineRules(
    name="openapi",
    comments=(HASH_ALONE,),
    word=r"[^\W\d][\w-]*",
    imports=r"""\$ref:[ \t]*["']?(?P<module>[^\s"'\#]+\.(?:ya?ml|json))""",
    units=(
        Unit("paths", r"^(?P<name>paths):", by_indent, inside=("",)),
        Unit("components", r"^(?P<name>components):", by_indent, inside=("",)),
        Unit("path", r"^[ \t]+[\"']?(?P<name>/[^:\n\"']*)[\"']?:", by_indent, inside=("paths",)),
        Unit(
            "operation",
            r"^[ \t]+(?P<name>get|put|post|delete|patch|options|head|trace):",
            by_indent,
            inside=("path",),
        ),
        Unit(
            "function",
            r"^[ \t]+operationId:[ \t]*[\"']?(?P<name>[\w.-]+)",
            by_line,
            inside=("operation",),
        ),
        Unit(
            "schemas",
            rf"^[ \t]*(?P<name>{_SECTIONS}):",
            by_indent,
            inside=("components", ""),
        ),
        Unit("schema", r"^[ \t]+(?P<name>[\w.-]+):[ \t]*$", by_indent, inside=("schemas",)),
    ),
)
