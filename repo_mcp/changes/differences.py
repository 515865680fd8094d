"""Differences of a declaration that those who use it may notice, and whether a use of it breaks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from code_graph import language_named
from code_graph.facts import Declaration
from code_graph.language import load
from code_graph.model import EdgeType
from code_graph.parameters import Parameter, parameters_of, required_count
from index_format.tuples import NamedTuple
from repo_mcp.changes.signatures import CallArguments, misfit, moved_parameters, retyped_parameters

_BLANKS: Final = re.compile(r"\s+")
# from what more may use to what fewer may
_ACCESS: Final = ("public", "open", "internal", "package", "protected", "fileprivate", "private")
# modifiers by which a use must be written otherwise
_NOTICED: Final = ("async", "static", "suspend", "mutating")
_BLOCKS_NEW: Final = "abstract"
_OLD_OVERRIDES: Final = "its overrides have the old signature"
# types of parameters that have but a default, by the kind of that
_TYPES: Final = {"text": "string", "number": "number", "truth": "boolean"}
_BLOCKS_SUBTYPES: Final = frozenset({"final", "sealed"})
_ANY: Final = frozenset({"object", "any", "unknown", "anyobject"})
_WORDS_OF: Final = {
    "text": "string str charsequence string_view",
    "number": "number int integer long short byte float double bigint uint",
    "truth": "bool boolean",
    "character": "char character",
}
_KIND_OF: Final = {word: kind for kind, words in _WORDS_OF.items() for word in words.split()}
# a text of one character may be one, or a text
_BESIDE: Final = {"character": frozenset({"text", "number"}), "number": frozenset({"character"})}
# it goes with all types that are no values
_NOTHING: Final = "null"
_LITERALS: Final = (
    ("character", re.compile(r"'(?:[^'\\]|\\[^']{1,5}|\\')'$")),
    (
        "text",
        re.compile(
            r"""[bfru]{0,2}(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)$""", re.IGNORECASE
        ),
    ),
    ("number", re.compile(r"[-+]?\.?\d[\w.]*$")),
    ("truth", re.compile(r"(?:true|false|True|False)$")),
    ("list", re.compile(r"\[.*\]$", re.DOTALL)),
    ("record", re.compile(r"\{.*\}$", re.DOTALL)),
    ("function", re.compile(r"(?:async\s*)?(?:function\b|\([^()]*\)\s*=>|\w+\s*=>)|lambda\b")),
)
_LIST: Final = re.compile(r"\[\s*\]|:\s*\[")
_WORD: Final = re.compile(r"[^\W\d]\w*")
# a type that stands for another one
_VARIABLE: Final = re.compile(r"(?:[A-Z]|T\d)$")
_UNREAD: Final = frozenset({"final", "const", "val", "var"})


class BreakReason(NamedTuple):
    """Why a use may break, and true if it does for sure, as far as the edge to it is right."""

    text: str
    is_sure: bool = False


class SignatureDifference:
    """A declaration with another signature than before."""

    def __init__(
        self,
        old: Declaration,
        new: Declaration,
        language: str,
        parameters: tuple[str, str],
        others: Sequence[tuple[str, str]] = (),
        *,
        is_chosen: bool = False,
    ) -> None:
        """Compare their parameters, which are given in full, and results and modifiers.

        `others` are those of its overloads, with their results, by which a call may go on. One
        that `is_chosen` by a call's arguments has others beside it that the call may have meant.
        """
        row = language_named(language)
        self._is_chosen = is_chosen
        self._is_structural = row.is_structural
        first = row.names_parameters_first
        self._key: Callable[[str], str] = load(row.type_key) if row.type_key else _bare
        self.old = parameters_of(parameters[0], names_first=first)
        self.new = parameters_of(parameters[1], names_first=first)
        self._others = [parameters_of(text, names_first=first) for text, _ in others]
        self._results = [result for _, result in others]
        self._retyped = retyped_parameters(self.old, self.new, self._key)
        self._is_moved = moved_parameters(self.old, self.new)
        self._before, self._behind = old, new

    def why(
        self, kind: EdgeType, given: CallArguments | None, *, is_near: bool
    ) -> BreakReason | None:
        """The reason why a use of this kind may break; None for one that goes on as before.

        `given` are the arguments of a call. `is_near` is true for a use in the same file.
        """
        if kind in {EdgeType.INHERITS, EdgeType.EXTENDS, EdgeType.IMPLEMENTS}:
            return self._of_subtype()
        if kind == EdgeType.IMPORTS:
            return self._of_access(is_near=is_near)
        if kind == EdgeType.OVERRIDES:
            differs = self._calls_differ or self._retyped or self._gives_other
            return BreakReason(_OLD_OVERRIDES) if differs else None
        if given is not None and (found := self._of_call(given)) is not None:
            return found
        if given is None and kind != EdgeType.ACCEPTS and self._is_taken_otherwise:
            return BreakReason("it is handed on, and is called otherwise now")
        return self._of_access(is_near=is_near) or next(self._of_any(kind), None)

    def of_override(self, own: Sequence[Parameter], returns: str) -> BreakReason | None:
        """The reason why an override with these parameters may not go with what it overrides.

        Where types are compared by what they have, it may take fewer than it is given.
        """
        if not self._is_structural:
            return self.why(EdgeType.OVERRIDES, None, is_near=False)
        is_open = any(item.is_many for item in self.new)
        differs = required_count(own) > len(self.new) and not is_open
        for number, (one, other) in enumerate(zip(self.old, self.new, strict=False)):
            taken = own[number] if number < len(own) else None
            if taken is None or taken.is_many or _takes_anything(taken):
                continue
            differs = differs or (self._differ(one, other) and self._differ(taken, other))
        # what it took beyond the others is given something now
        for other, taken in zip(self.new[len(self.old) :], own[len(self.old) :], strict=False):
            differs = differs or (self._differ(taken, other) and not _takes_anything(taken))
        if self._gives_other and returns:
            differs = differs or self._key(returns) != self._key(self._behind.returns)
        return BreakReason(_OLD_OVERRIDES) if differs else None

    def other_type_at(self, number: int) -> Parameter | None:
        """The parameter at a place if it has another type than the one that was there."""
        if number >= len(self.new) or number >= len(self.old):
            return None
        one, other = self.old[number], self.new[number]
        return other if self._differ(one, other) else None

    def is_refused_by_code(self, overload: Sequence[Parameter | None]) -> bool:
        """True if an overload does not go with the code behind it: types of arguments differ.

        Those that are not known are None.
        """
        for number, (other, item) in enumerate(zip(self.new, overload, strict=False)):
            one = self.old[number] if number < len(self.old) else None
            if item is None or (one is not None and not self._differ(one, other)):
                continue
            words = [other.words - {other.name}, item.words - {item.name}]
            is_one_of = words[0] <= words[1] or words[1] <= words[0]
            if self._differ(item, other) and not is_one_of and not _takes_anything(item):
                return True
        return False

    @property
    def _is_taken_otherwise(self) -> bool:
        """True if those may break who are handed the function, and call it as before."""
        if not self._is_structural:
            return self._calls_differ
        # a function goes where more is given than it takes
        is_more = required_count(self.new) > len(self.old)
        pairs = zip(self.old, self.new, strict=False)
        return is_more or any(self._differ(one, other) for one, other in pairs)

    @property
    def _gives_other(self) -> bool:
        """True if its result, or its value, has another type, as far as both are declared."""
        one, other = self._before.returns, self._behind.returns
        return bool(one and other) and self._key(one) != self._key(other)

    @property
    def _calls_differ(self) -> bool:
        """True if calls have to be written otherwise, or may have to be."""
        names = [item.name for item in self.new if not item.is_optional and not item.is_many]
        before = [item.name for item in self.old if not item.is_optional and not item.is_many]
        return len(names) != len(before) or self._is_moved or len(self.new) < len(self.old)

    def _of_call(self, given: CallArguments) -> BreakReason | None:
        fitting = [
            number
            for number, item in enumerate(self._others)
            if not misfit(item, given) and not _refuses_literal(item, given.texts)
        ]
        if fitting and (misfit(self.old, given) or misfit(self.new, given)):
            return None if misfit(self.old, given) else self._of_results(fitting)
        if misfit(self.old, given):  # as it is read here it never was right
            if self._is_chosen and not misfit(self.new, given):
                return None  # it meant another one
            return BreakReason("its parameters have changed") if self._calls_differ else None
        if (reason := misfit(self.new, given)) != "":
            return BreakReason(reason, is_sure=True)
        return self._of_bound(given)

    def _of_results(self, numbers: Sequence[int]) -> BreakReason | None:
        """The reason why a call of an overload that is another one now may break."""
        given, before = [self._results[number] for number in numbers], self._before.returns
        if not before or any(not it or self._key(it) == self._key(before) for it in given):
            return None
        return BreakReason(f"it gives {given[0]} now, not {before}")

    def _of_bound(self, given: CallArguments) -> BreakReason | None:
        """The reason why an argument may not go with the parameter that it is bound to now."""
        if self._meant_other(given):
            return None
        is_null = [self._is_chosen and text == _NOTHING for text in given.texts]
        for number, (one, other) in enumerate(zip(self.old, self.new, strict=False), 1):
            is_bound = number <= given.positional and not one.is_named_only
            if not is_bound or one.name == other.name:
                continue
            if _has(self.new, one.name) or self._differ(one, other):
                return BreakReason(f"argument {number} is now `{other.name}`, not `{one.name}`")
        by_place = [item.name for item in self.new][: given.positional]
        for item in self._retyped:
            at = by_place.index(item.name) if item.name in by_place else -1
            if at >= 0 and is_null[at] and _takes_literal(item, _NOTHING):
                continue
            if at >= 0 or item.name in given.names or item.is_many:
                return BreakReason(f"its parameter is now `{item.text}`")
        return None

    def _meant_other(self, given: CallArguments) -> bool:
        """True if an argument goes with an overload for sure, and did not go with this one."""
        others = [item for item in self._others if not misfit(item, given)]
        for number, text in enumerate(given.texts):
            before = self.old[number] if number < len(self.old) else None
            if before is None or _takes_literal(before, text):
                continue
            if any(number < len(item) and _takes_literal(item[number], text) for item in others):
                return True
        return False

    def _differ(self, one: Parameter, other: Parameter) -> bool:
        """True for parameters of other types, their names apart."""
        if _takes_anything(other):
            return False
        types = [self._type_of(item) for item in (one, other)]
        return all(types) and types[0] != types[1]

    def _type_of(self, item: Parameter) -> str:
        """The type of a parameter as it is compared; where none is written, that of its default."""
        bare = re.sub(rf"\b{re.escape(item.name)}\b", "", item.text, count=1)
        written = self._key(bare).lstrip("?:")
        if written or not self._is_structural:
            return written
        return _TYPES.get(_literal_kind(item.default), "")

    def _of_subtype(self) -> BreakReason | None:
        gained = sorted((self._behind.modifiers - self._before.modifiers) & _BLOCKS_SUBTYPES)
        return BreakReason(f"it is {gained[0]} now") if gained else None

    def _of_access(self, *, is_near: bool) -> BreakReason | None:
        one, other = self._before.access, self._behind.access
        if is_near or one not in _ACCESS or other not in _ACCESS:
            return None
        return BreakReason(f"it is {other} now") if _rank(other) > _rank(one) else None

    def _of_any(self, kind: EdgeType) -> Iterator[BreakReason]:
        one, other = self._before, self._behind
        for name in _NOTICED:
            if (name in one.modifiers) != (name in other.modifiers):
                yield BreakReason(f"it is {'' if name in other.modifiers else 'not '}{name} now")
        if kind == EdgeType.CALLS and _BLOCKS_NEW in other.modifiers - one.modifiers:
            yield BreakReason(f"it is {_BLOCKS_NEW} now")
        if self._gives_other:
            what = "gives" if other.parameters else "is"
            yield BreakReason(f"it {what} {other.returns} now, not {one.returns}")


def refused_by(before: Declaration, other: Declaration, given: CallArguments) -> BreakReason | None:
    """The reason why a call that went with a declaration may not go with its overload.

    None where it goes with that, or where it is not known that it went with the first.
    """
    old, new = parameters_of(before.parameters), parameters_of(other.parameters)
    if misfit(old, given):
        return None
    if (reason := misfit(new, given)) != "":
        return BreakReason(reason)
    for one, now, text in zip(old, new, given.texts, strict=False):
        is_taken = _takes_literal(now, text)
        if _same_type(one, now) and (is_taken is None or text != _NOTHING):
            continue
        if not is_taken:
            return BreakReason(f"it goes with `{now.text}` now, where it went with `{one.text}`")
    return None


def _has(parameters: Sequence[Parameter], name: str) -> bool:
    return any(item.name == name for item in parameters)


def _rank(access: str) -> int:
    return _ACCESS.index(access)


def _bare(text: str) -> str:
    return _BLANKS.sub("", text)


def _literal_kind(text: str) -> str:
    """The kind of a literal; empty for another expression."""
    return next((name for name, form in _LITERALS if form.match(text)), "")


def _takes_anything(parameter: Parameter) -> bool:
    """True for a parameter of any type, or of one that stands for another."""
    return any(_VARIABLE.match(word) or word.lower() in _ANY for word in _words(parameter))


def _takes_literal(parameter: Parameter, argument: str) -> bool | None:
    """True if an argument goes with a parameter, False if not; None for what is not known."""
    if _takes_anything(parameter):
        return True
    words = _words(parameter)
    if argument == _NOTHING:
        return not words or words[0] not in _KIND_OF
    kind = _literal_kind(argument)
    if not kind:
        return None
    known = _kinds(parameter)
    if kind in known:
        return True
    return False if None not in known and not known & _BESIDE.get(kind, frozenset()) else None


def _refuses_literal(parameters: Sequence[Parameter], arguments: Sequence[str]) -> bool:
    """True if one of the arguments by place does not go with its parameter for sure."""
    pairs = zip(parameters, arguments, strict=False)
    return any(_takes_literal(parameter, text) is False for parameter, text in pairs)


def _same_type(one: Parameter, other: Parameter) -> bool:
    """True for parameters of one type, whatever their names; values in objects are of it, too."""
    marks = [(item.is_many, item.text.count("[")) for item in (one, other)]
    types = [
        [_KIND_OF.get(word.lower(), word) for word in words]
        for words in (_words(one), _words(other))
    ]
    return types[0] == types[1] and marks[0] == marks[1]


def _kinds(parameter: Parameter) -> frozenset[str | None]:
    """The kinds of literals that a parameter takes; None is among them for what is not known."""
    words = _words(parameter)
    if _LIST.search(parameter.text):
        return frozenset({"list"})
    if parameter.is_many or not words:
        return frozenset({None, *map(_KIND_OF.get, map(str.lower, words))})
    return frozenset(map(_KIND_OF.get, map(str.lower, words)))


def _words(parameter: Parameter) -> list[str]:
    """The words of the type of a parameter."""
    found: list[str] = _WORD.findall(parameter.text)
    if parameter.name in found:
        found.remove(parameter.name)
    return [word for word in found if word not in _UNREAD]
