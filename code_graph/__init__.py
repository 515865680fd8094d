"""Extracts facts from a file's text: declarations, references, imports and documentation.

This is the door; `facts` is a door of its own, with the types of facts and their storage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from code_graph.adapter import StoringAdapter, facts_to_store
from code_graph.registry import (
    BUILT_IN,
    PROSE,
    PROSE_ENDINGS,
    Languages,
    known_names,
)
from index_format.late_import import import_on_first_use

if TYPE_CHECKING:
    from code_graph.hints import identifiers_in
    from code_graph.prose.notebook import markdown_rows
    from code_graph.rough import rough_declarations

# imported on first use: not every process reads files or prompts
_LATE = {
    "identifiers_in": "hints",
    "markdown_rows": "prose.notebook",
    "rough_declarations": "rough",
}

__all__ = [
    "BUILT_IN",
    "PROSE",
    "PROSE_ENDINGS",
    "Languages",
    "StoringAdapter",
    "facts_to_store",
    "identifiers_in",
    "known_names",
    "markdown_rows",
    "rough_declarations",
]

__getattr__ = import_on_first_use(__name__, _LATE)
