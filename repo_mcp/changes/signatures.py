"""Parameters of a declaration and arguments of a call, and whether they go together.

Both are read as text, in any of the languages: names, defaults, and lists of any length are marked
alike in most of them. A call that did not fit the parameters before can't be judged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from code_graph.brackets import matching, split_at_commas, without_comments
from code_graph.facts import Declaration
from index_format.tuples import NamedTuple
from repo_mcp.text.plurals import counted

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
_NAMED: Final = re.compile(r"([^\W\d]\w*)\s*(?:=(?![=>])|:(?![:=]))")
_SPREAD: Final = re.compile(r"^\*{1,2}[^\W\d(\[{]|^\.\.\.|\.\.\.$|^&\w+$")
_BEFORE_CALL: Final = re.compile(
    r"\s*(?:::)?(?:<[\w\s,.:?&*\[\]<>'|]*>|\[[\w\s,.*\[\]]*\](?=\())?\s*!?\s*(?=\()"
)
_OPTIONAL: Final = re.compile(r"^[\w\s]*\?\s*(?::|$)")
# names that stand for all keywords
_ANY_KEYWORD: Final = "**"


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


class CallArguments(NamedTuple):
    """The arguments of a call."""

    positional: int
    names: frozenset[str]
    has_spread: bool
    # a block follows, which may be one more
    has_block: bool
    # those without a name, as they are written
    texts: Sequence[str] = ()


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
        if bare.startswith("*") and not bare.startswith(_ANY_KEYWORD) and is_many:
            is_named_only = True
    return found


def full_parameters(declared: Declaration, text: bytes | None) -> str:
    """The parameters of a declaration, from its file where it has but the first of very many."""
    stored = declared.parameters
    if not stored or stored[-1] in ")]" or text is None:
        return stored
    rows = text.decode("utf-8", "replace").split("\n")[declared.name_line - 1 :]
    rest = "\n".join(rows)
    opened = rest.find(stored[:1], declared.name_column)
    closed = matching(rest, opened) if opened >= 0 else -1
    return rest[opened : closed + 1] if closed >= 0 else stored


def _name_of(text: str, *, names_first: bool) -> str:
    before, *types = _TYPED.split(text, maxsplit=1)
    words: list[str] = _WORD.findall(before)
    if not words:
        return text
    return words[0] if names_first and not types else words[-1]


def arguments_at(text: str, place: int) -> CallArguments | None:
    """The arguments of the call whose name ends at a place; None if there is no call."""
    found = _BEFORE_CALL.match(text, place)
    if found is None:
        return None
    end = matching(text, found.end())
    if end < 0:
        return None
    parts = split_at_commas(without_comments(text[found.end() + 1 : end]))
    names: set[str] = set()
    texts: list[str] = []
    has_spread = False
    for part in parts:
        named = _NAMED.match(part)
        if named is not None and "?" not in part[: named.end()]:
            names.add(named[1])
        elif _SPREAD.search(part):
            has_spread = True
        else:
            texts.append(part)
    has_block = text[end + 1 : end + 4].strip().startswith("{")
    return CallArguments(len(texts), frozenset(names), has_spread, has_block, texts)


def misfit(parameters: Sequence[Parameter], given: CallArguments) -> str:
    """The reason why arguments do not go with parameters; empty where they may."""
    by_place = [item for item in parameters if not item.is_named_only and not item.is_many]
    is_open = any(item.is_many and not item.text.startswith(_ANY_KEYWORD) for item in parameters)
    if given.positional > len(by_place) and not is_open:
        return f"{counted(given.positional, 'argument')} given, {len(by_place)} taken"
    takes_all = any(item.text.startswith(_ANY_KEYWORD) for item in parameters)
    for name in sorted(given.names):
        if not takes_all and not any(name in item.words for item in parameters):
            return f"`{name}` is no parameter"
    if given.has_spread or given.has_block:
        return ""
    missing = [
        item.name
        for item in parameters
        if not item.is_optional and not item.is_many and not item.words & given.names
        if item.is_named_only or by_place.index(item) >= given.positional
    ]
    return f"`{missing[0]}` is not given" if missing else ""


def required_count(parameters: Sequence[Parameter]) -> int:
    """The number of arguments by place that a call has to give."""
    return sum(not (it.is_optional or it.is_many or it.is_named_only) for it in parameters)


def moved_parameters(old: Sequence[Parameter], new: Sequence[Parameter]) -> bool:
    """True if parameters of the same names stand in another order."""
    before, behind = [item.name for item in old], [item.name for item in new]
    both = [name for name in before if name in behind]
    return both != [name for name in behind if name in before]


def retyped_parameters(
    old: Sequence[Parameter], new: Sequence[Parameter], key: Callable[[str], str]
) -> list[Parameter]:
    """New parameters that have an old one's name and another type; equal ones have one key."""
    before = {item.name: key(item.text) for item in old}
    return [item for item in new if before.get(item.name, key(item.text)) != key(item.text)]
