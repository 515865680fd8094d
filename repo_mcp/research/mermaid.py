"""Writes diagrams in Mermaid's language, which many clients draw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from repo_mcp.research.model import Diagram, Node
from repo_mcp.text.cutting import cut

_WIDEST: Final = 48
# characters that would end a label or be taken for markup
_ENTITIES: Final = {ord(char): f"#{ord(char)};" for char in '"#<>&|`[]{}()\\;%'}


def write_mermaid(diagram: Diagram) -> str:
    """A flowchart, from left to right."""
    return "\n".join(_lines(diagram))


def _lines(diagram: Diagram) -> Iterator[str]:
    yield "flowchart LR"
    ids = {node.key: f"n{number}" for number, node in enumerate(diagram.nodes)}
    for node in diagram.nodes:
        yield f'  {ids[node.key]}["{_label(node)}"]'
    for arrow in diagram.arrows:
        text = f"|{_escape(arrow.label)}|" if arrow.label else ""
        yield f"  {ids[arrow.source]} -->{text} {ids[arrow.target]}"


def _label(node: Node) -> str:
    parts = node.name.split(".")
    is_path = "/" in node.name or node.node_type == "file"
    name = node.name if is_path or len(parts) <= _PARTS else ".".join(parts[-_PARTS:])
    return _escape(cut(name, _WIDEST))


_PARTS: Final = 2


def _escape(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text).translate(_ENTITIES)
