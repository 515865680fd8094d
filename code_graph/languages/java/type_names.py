"""Names in types of Java."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

NAMES: Final = frozenset({"identifier", "type_identifier"})


def name_of_type(node: Node) -> Node:
    """The node of the last name in a type: `Entry` in `Map.Entry<K, V>`."""
    while node.children and node.type not in NAMES:
        node = node.children[0 if node.type == "generic_type" else -1]
    return node
