"""Parameters of a declaration, read as text in any of the languages.

Names, defaults, and lists of any length are marked alike in most of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from code_graph.brackets import split_at_commas, without_comments
from index_format.tuples import NamedTuple

_WORD: Final = re.compile(r"[^\W\d]\w*")
_TYPED: Final = re.compile(r"(?<!:):(?!:)")
_BLANKS: Final = re.compile(r"\s+")
# a default, and none of == => <= >= !=
_DEFAULT: Final = re.compile(r"(?<![=<>!])=(?![=>])")
_RECEIVER: Final = re.compile(
    r"(?:&\s*)?(?:'\w+\s+)?(?:mut\s+)?(?:self|cls)\b(?:\s*:.*)?|this\s*:.*"
)
_EXTENDED: Final = re.compile(r"this\s+\w")
_MANY: Final = re.compile(r"\.\.\.|…|\b(?:params|vararg)\b|^\*")
_BRACKETED: Final = re.compile(r"\[.*\]")
_OPTIONAL: Final = re.compile(r"^[\w\s]*\?\s*(?::|$)")
# names that stand for all keywords
ANY_KEYWORD: Final = "**"


class Parameter(NamedTuple):
    """A parameter as it is written, without its default."""

    text: str
    name: str
    is_optional: bool
    is_many: bool
    is_named_only: bool
    # as it is written; empty for none
    default: str = ""

    @property
    def words(self) -> frozenset[str]:
        """The words in it, of which one is its name."""
        return frozenset(_WORD.findall(self.text))


def parameters_of(text: str, *, names_first: bool = False) -> list[Parameter]:
    """The parameters of a list with its parentheses, without a receiver.

    Names stand before a colon, and where there is none behind a type, or before it.
    """
    inner = without_comments(text.strip())
    inner = inner[1:-1] if inner[:1] in "([" and inner[-1:] in ")]" and inner else inner
    found: list[Parameter] = []
    is_named_only = False
    for number, part in enumerate(split_at_commas(inner)):
        if part in {"/", "void"} or (number == 0 and _RECEIVER.fullmatch(part)):
            continue
        if part == "*":
            is_named_only = True
            continue
        default = _DEFAULT.search(part)
        bare = _BLANKS.sub(" ", part[: default.start()] if default else part).strip()
        # dots in `tuple[str, ...]` and `Callable[..., str]` are of a type
        is_many = _MANY.search(_BRACKETED.sub("", bare)) is not None
        is_optional = default is not None or _OPTIONAL.match(bare) is not None
        is_of_caller = number == 0 and _EXTENDED.match(bare) is not None
        name = _name_of(bare, names_first=names_first)
        named_only = is_named_only and not is_many
        given = part[default.end() :].strip() if default else ""
        found.append(Parameter(bare, name, is_optional or is_of_caller, is_many, named_only, given))
        if bare.startswith("*") and not bare.startswith(ANY_KEYWORD) and is_many:
            is_named_only = True
    return found


def _name_of(text: str, *, names_first: bool) -> str:
    before, *types = _TYPED.split(text, maxsplit=1)
    words: list[str] = _WORD.findall(before)
    if not words:
        return text
    return words[0] if names_first and not types else words[-1]


def required_count(parameters: Sequence[Parameter]) -> int:
    """The number of arguments by place that a call has to give."""
    return sum(not (it.is_optional or it.is_many or it.is_named_only) for it in parameters)
