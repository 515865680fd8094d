"""Which reads and writes are worth keeping: those of names that a file declares or imports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from repo_mcp.languages.facts import Import
from repo_mcp.languages.treesitter_matches import PATTERNS, Matches
from repo_mcp.languages.treesitter_rules import Draft, Rules

if TYPE_CHECKING:
    from tree_sitter import Node

_FILTERED: Final = frozenset(("read", "write", "element", "none"))

_LONGEST: Final = 100


class Known:
    """The names of a file, for its references in the order of the text."""

    __slots__ = ("_imports", "_members", "_names", "_next", "roles")

    def __init__(
        self, rules: Rules, matches: Matches, drafts: Iterable[Draft], imports: Iterable[Import]
    ) -> None:
        """Collect what is declared and bound; nothing is left out where the rules don't ask."""
        # the roles that are looked at
        self.roles = _FILTERED if rules.known_only else frozenset[str]()
        self._names = {one.alias for one in imports if one.module}
        for draft in drafts:
            holder = draft.parent
            if rules.implicit_self or holder is None or holder.kind not in rules.classes:
                self._names.add(draft.name)
        self._names -= rules.builtins
        # names of members too: they count only with something before them
        self._members = {draft.name for draft in drafts}
        self._imports = [
            (place.place // PATTERNS, place.node.end_byte)
            for place in matches.others["import"]
            if "given" not in place.captures
        ]
        self._next = 0

    def role(self, role: str, start: int, name: str, qualifier: Node | None, text: str) -> str:
        """The role to keep a reference in, empty for none."""
        if role == "none":
            return ""
        if role == "element":  # one in lower case is not declared anywhere
            return "" if qualifier is None and name[:1].islower() else "call"
        return role if self._has(start, name, qualifier, text) else ""

    def _has(self, start: int, name: str, qualifier: Node | None, text: str) -> bool:
        """Whether a name, or what stands before it, is known; those in imports are bound there."""
        imports = self._imports
        while self._next < len(imports) and imports[self._next][1] <= start:
            self._next += 1
        if self._next < len(imports) and imports[self._next][0] <= start:
            return False
        if qualifier is None:
            return name in self._names
        if name in self._members:
            return True
        start = qualifier.start_byte
        return text[start : min(qualifier.end_byte, start + _LONGEST)] in self._names
