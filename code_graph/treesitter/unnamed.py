"""Classes without a name, which are called by their base and a number: `new Base() { … }`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from code_graph.facts.model import ANONYMOUS
from code_graph.treesitter.language_rules import Draft

if TYPE_CHECKING:
    from tree_sitter import Node


def complete_unnamed(draft: Draft, keyword: Node, name: str, bases: Sequence[str]) -> bool:
    """Complete a draft of the body of a class that begins with a keyword.

    Arguments of its constructor are none of it, though its head begins before them. It is seen
    where it stands alone.
    """
    draft.name, draft.bases = name, tuple(bases)
    draft.modifiers.add(ANONYMOUS)
    draft.access = "private"
    draft.row = keyword.start_point[0]
    draft.head_start, draft.head_end = keyword.start_byte, draft.start
    return True
