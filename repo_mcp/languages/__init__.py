"""From a file's text to facts about it: what it declares, refers to, imports and documents.

This is the door; `facts` beside it is the door to what is known of a file and how that is stored.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from repo_mcp.languages.registry import BUILT_IN, Languages, known_names

if TYPE_CHECKING:
    from repo_mcp.languages.hints import identifiers_in
    from repo_mcp.languages.rough import rough_declarations

# not every process reads files or prompts
_LATE = {"identifiers_in": "hints", "rough_declarations": "rough"}

__all__ = [
    "BUILT_IN",
    "Languages",
    "identifiers_in",
    "known_names",
    "rough_declarations",
]


def __getattr__(name: str) -> object:
    """Import a late name."""
    module = _LATE.get(name)
    if module is None:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"repo_mcp.languages.{module}"), name)
