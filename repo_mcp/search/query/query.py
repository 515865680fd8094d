"""What a query asks for: the words that rank, and what a file must fulfil to be shown.

Whoosh's syntax counts where it is plainly meant; everything else is words. No text is an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # plain queries do without
    from repo_mcp.search.query.tree import Condition, Filter

# longer texts are pasted, not written
_LONGEST: Final = 2_000
# without any of these nothing can be syntax
_HINT: Final = re.compile(r'["*]|\b(?:AND|OR|NOT)\b|\w:\S|(?:^|\s)[-+]\S')
_LINE_END: Final = re.compile(r"[\r\n]")


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query as it is understood.

    `plain` are the words that rank; `condition` is what a file must fulfil, None for nothing;
    `filters` are what its path must fulfil as well, see `PathFilter`.
    """

    plain: str
    condition: Condition | None = None
    filters: tuple[Filter, ...] = ()


def asked(text: str) -> ParsedQuery:
    """Read a query; whatever it is, words are left to search for if there were any."""
    if len(text) > _LONGEST or not _HINT.search(text) or _LINE_END.search(text.strip()):
        return ParsedQuery(text)
    from repo_mcp.search.query.meaning import understood  # noqa: PLC0415 see above

    found = understood(text)
    return ParsedQuery(text) if found is None else ParsedQuery(*found)
