"""Arguments of a call, and whether they go with the parameters of a declaration.

They are read as text, in any of the languages. A call that did not fit the parameters before can't
be judged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from code_graph.brackets import matching, split_at_commas, without_comments
from code_graph.facts import Declaration
from code_graph.parameters import ANY_KEYWORD, Parameter
from index_format.tuples import NamedTuple
from repo_mcp.text.plurals import counted

_NAMED: Final = re.compile(r"([^\W\d]\w*)\s*(?:=(?![=>])|:(?![:=]))")
_SPREAD: Final = re.compile(r"^\*{1,2}[^\W\d(\[{]|^\.\.\.|\.\.\.$|^&\w+$")
_BEFORE_CALL: Final = re.compile(
    r"\s*(?:::)?(?:<[\w\s,.:?&*\[\]<>'|]*>|\[[\w\s,.*\[\]]*\](?=\())?\s*!?\s*(?=\()"
)


class CallArguments(NamedTuple):
    """The arguments of a call."""

    positional: int
    names: frozenset[str]
    has_spread: bool
    # a block follows, which may be one more
    has_block: bool
    # those without a name, as they are written
    texts: Sequence[str] = ()


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
    is_open = any(item.is_many and not item.text.startswith(ANY_KEYWORD) for item in parameters)
    if given.positional > len(by_place) and not is_open:
        return f"{counted(given.positional, 'argument')} given, {len(by_place)} taken"
    takes_all = any(item.text.startswith(ANY_KEYWORD) for item in parameters)
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
