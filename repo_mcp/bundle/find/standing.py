"""Tells candidates that say nothing by themselves: bare fields and constructors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from code_graph.facts import Declaration
from index_format.analysis.words import terms_of_word
from repo_mcp.bundle.find.candidates import Candidate
from repo_mcp.bundle.find.declarations import CONSTANTS, TYPES
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.model import SearchKind
from repo_mcp.bundle.weights import CandidateWeights
from repo_mcp.search import TermMatcher

# evidence of what the prompt names or quotes
NAMED: Final = frozenset(
    {
        *(SearchKind.FRAME, SearchKind.PATH, SearchKind.FILE, SearchKind.LITERAL),
        *(SearchKind.CONSTANT, SearchKind.DEFINITION, SearchKind.MENTIONS),
    }
)
_TYPES: Final = TYPES | {"struct", "record"}
# methods that languages without a word for it make objects with
_MAKING: Final = frozenset({"__init__", "__new__", "initialize", "init"})


def is_bare(files: Files, item: Candidate, matcher: TermMatcher) -> bool:
    """True for a constructor or a field without a body, unless the prompt names it."""
    if not item.symbol or any(evidence.kind in NAMED for evidence in item.worths):
        return False
    declarations = files.declarations(item.path)
    own = [
        found
        for found in declarations
        if (found.start_line, found.end_line) == (item.first, item.last)
    ]
    return bool(own) and all(_is_bare(found, declarations, matcher) for found in own)


def _is_bare(found: Declaration, declarations: Sequence[Declaration], matcher: TermMatcher) -> bool:
    # the name of a constructor is that of its type, or of all of them
    if found.kind == "constructor":
        return True
    if found.parent < 0 or declarations[found.parent].kind not in _TYPES:
        return False
    if found.kind in CONSTANTS:
        is_short = found.end_line - found.start_line < CandidateWeights.BARE_LINES
        return is_short and not _is_named(found.name, matcher)
    return found.name in _MAKING


def _is_named(name: str, matcher: TermMatcher) -> bool:
    """True if the prompt has all words of a name."""
    words = set(terms_of_word(name))
    parts = words - {name.lower()} or words
    return parts <= matcher.weights.keys()
