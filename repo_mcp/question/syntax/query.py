"""Parses a query into the words that rank and the conditions that a file must fulfil.

Whoosh's syntax counts where it is clearly intended; everything else is words, and so is a sentence.
No text is an error.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from index_format.records import Record, replace

if TYPE_CHECKING:  # plain queries need no tree
    from repo_mcp.question.syntax.tree import Condition, Filter, Phrase

# longer texts are pasted and hold no syntax
_LONGEST: Final = 2_000
# every query with syntax matches this
_HINT: Final = re.compile(r'["*]|\b(?:AND|OR|NOT)\b|\w:\S|(?:^|\s)[-+]\S')
# every message with a value matches this, and has so many blanks
_VALUE_HINT: Final = re.compile(
    r"[`'\"(\d/\\_@=<>|{}\[\]%]|\w[.:]\w|:\s-{1,2}\w\S*$|(?:error|warning|exception):",
    re.IGNORECASE,
)
_FEWEST_BLANKS: Final = 3
_LINE_END: Final = re.compile(r"[\r\n]")


class ParsedQuery(Record):
    """A parsed query.

    `plain` are the words that rank; `condition` is the condition on a file, None if there is none;
    `filters` are conditions on its path, see `PathFilter`. Of a query that only excludes, `plain`
    is empty and `excluded` has its words. `quoted` are phrases that a sentence quotes, or
    constant parts of a printed message (`is_message`); they raise what has one and demand nothing.
    """

    plain: str
    condition: Condition | None = None
    filters: tuple[Filter, ...] = ()
    excluded: str = ""
    quoted: tuple[Phrase, ...] = ()
    is_message: bool = False

    def demanding_quoted(self) -> ParsedQuery:
        """The query that one of the quoted phrases must be there for."""
        from repo_mcp.question.syntax.tree import all_of, any_of  # noqa: PLC0415 as above

        wanted = any_of(self.quoted)
        condition = wanted if self.condition is None else all_of([self.condition, wanted])
        return replace(self, condition=condition)


def parse_query(text: str) -> ParsedQuery:
    """Parses any text; if it has words, the result has words to search for, or excluded ones."""
    if len(text) > _LONGEST or _LINE_END.search(text.strip()):
        return ParsedQuery(text)
    parsed = ParsedQuery(text)
    if _HINT.search(text):
        from repo_mcp.question.syntax.syntax import parse_syntax  # noqa: PLC0415 see above

        found = parse_syntax(text)
        parsed = parsed if found is None else ParsedQuery(*found)
    if (
        not (parsed.condition or parsed.excluded)
        and text.count(" ") >= _FEWEST_BLANKS
        and _VALUE_HINT.search(text)
    ):
        from repo_mcp.question.syntax.printed_message import constant_phrases  # noqa: PLC0415 as above

        constant = constant_phrases(text)
        parsed = replace(parsed, quoted=(*parsed.quoted, *constant), is_message=bool(constant))
    return parsed


def parse_loosely(text: str) -> ParsedQuery | None:
    """The query by its words and filters; None if its conditions are surely meant.

    Quotes, signs and stars beside words that only rank may be something else.
    """
    from repo_mcp.question.syntax.syntax import is_loose  # noqa: PLC0415 as above

    parsed = parse_query(text)
    return replace(parsed, condition=None) if parsed.condition and is_loose(text) else None
