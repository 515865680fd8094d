"""Numbers the declarations of a tree as they are stored, and nests them in one sweep over the text.

The sweep finds the control flow around them, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from code_graph.facts.model import ANONYMOUS
from code_graph.treesitter.language_rules import Captures, Draft, Rules
from code_graph.treesitter.matches import PATTERNS, AnchorMatch, QueryMatches, run_query
from code_graph.treesitter.parse import ParsedText
from code_graph.treesitter.plain import PlainDeclarations, take_plain
from code_graph.treesitter.source import Source, one_line
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Node

# characters after which a context is not extended
_MAX_CONTEXT: Final = 300
_JOINT: Final = " > "
T = TypeVar("T")


class _ObjectDraft(NamedTuple):
    """An object that is a declaration as soon as a function in it is one."""

    draft: Draft
    captures: Captures
    # true if it is one without that
    is_declared: bool


class _Level(NamedTuple):
    """The innermost open declaration or control flow at a position of the text."""

    end: int
    holder: Draft | None
    context: str
    is_conditional: bool
    # inside a function without a name
    is_local: bool = False
    held: _ObjectDraft | None = None


# the label of a flow that is a function without a name
_ANONYMOUS: Final = "anonymous"
_MODULE: Final = _Level(1 << 62, None, "", is_conditional=False)
_NOWHERE: Final = 1 << 62
# groups, besides declarations, that open or change a level
_AROUND: Final = ("access", "flow", "object", "skip", "wrap")
_HOLDER: Final = "object"
_MEMBER: Final = "method"
# an object with more values is data
_MOST_ENTRIES: Final = 100
# members of objects in functions; a file with more is made by a program
_MOST_LOCAL_MEMBERS: Final = 500
# objects in each other
_DEEPEST: Final = 8
# captures of a match that has no others: most of those of a large file
_ANCHOR_AND_NAME: Final = 2


def nest(
    rules: Rules, matches: QueryMatches, source: Source, *, as_columns: bool
) -> tuple[list[Draft], PlainDeclarations]:
    """The completed declarations with their parents, in order of their offsets.

    Plain ones are among them unless they are wanted `as_columns`.
    """
    source.leave_out(place.node for place in matches.others["comment"])
    kinds = rules.plain if as_columns else frozenset[str]()
    chosen, declared = take_plain(kinds, matches.declarations)
    plain = PlainDeclarations(chosen, matches.others["import"], source.text)
    sweep = _Sweep(rules, source, plain)
    for start, end, place, group in _events(matches, declared):
        if chosen:
            sweep.pass_plain(start, end)
        if start >= sweep.skipped_until:
            sweep.visit(start, end, place, group)
    if chosen:
        sweep.pass_plain(_NOWHERE, _NOWHERE)
    plain.finish()
    _find_owners(rules, sweep.drafts)
    sweep.drafts.sort(key=_extent)
    return sweep.drafts, plain


class _Sweep:
    """Visits matches in text order and keeps the open levels."""

    __slots__ = (
        "_levels", "_local_members", "_passed", "_plain", "_rules", "_seen", "_source", "_unnamed",
        "_wrap", "drafts", "skipped_until",
    )  # fmt: skip

    def __init__(self, rules: Rules, source: Source, plain: PlainDeclarations) -> None:
        self._rules = rules
        self._plain = plain
        # how many plain declarations were passed
        self._passed = 0
        self._source = source
        self._levels = [_MODULE]
        self._seen: set[tuple[int, int, int]] = set()
        self._wrap: AnchorMatch | None = None
        self._local_members = 0
        # classes without a name, by the declaration around and their base
        self._unnamed: Counter[tuple[int, str]] = Counter()
        self.drafts: list[Draft] = []
        self.skipped_until = -1

    def pass_plain(self, start: int, end: int) -> None:
        """Declare the plain declarations before a range of the text, neighbours at once."""
        plain, levels = self._plain, self._levels
        last = plain.before(self._passed, start, end)
        while (at := self._passed) < last:
            first = plain.starts[at]
            while (level := levels[-1]).end <= first:
                levels.pop()
            after = plain.plain_until(at, last, start, level.end)
            if after > at:
                plain.add(at, after, level.holder, level.context, level.is_conditional)
                self._passed = after
            else:
                self._passed = at + 1
                self.visit(first, plain.ends[at], plain.places[at], "def")

    def visit(self, start: int, end: int, place: AnchorMatch, group: str) -> None:
        """Handle the next match of the text."""
        levels = self._levels
        while (level := levels[-1]).end <= start:
            levels.pop()
        if group == "def":
            if _is_beside(level, start, end, place):
                levels.pop()
                level = levels[-1]
            if level is _MODULE or not _is_local(self._rules, place.label, level):
                self._declare(start, end, place, level)
            elif "held" in place.captures:
                self._hold(start, end, place, level)
        elif group == "object":
            self._hold(start, end, place, level)
        elif group == "flow":
            self._branch(end, place, level)
        elif group == "access":
            if level.holder is not None:
                level.holder.mark = self._source.of(place.node)
        elif group == "skip":
            self.skipped_until = end
        elif self._wrap is None or self._wrap.node.end_byte <= start:
            self._wrap = place

    def _branch(self, end: int, place: AnchorMatch, level: _Level) -> None:
        """Open a level of control flow, or of a function without a name."""
        label = self._rules.flow(place.label, place.captures, self._source)
        end = min(end, level.end)
        if label == _ANONYMOUS:
            self._levels.append(level._replace(end=end, is_local=True, held=None))
        elif label:
            path = _path(level, label)
            self._levels.append(level._replace(end=end, context=path, is_conditional=True))

    def _hold(self, start: int, end: int, place: AnchorMatch, level: _Level) -> None:
        """Open an object, which is a declaration only if it has members."""
        draft = _draft(place, start, end, self._source)
        held = _ObjectDraft(draft, place.captures, is_declared=False)
        self._levels.append(level._replace(end=min(end, level.end), held=held))

    def _has_room(self, level: _Level, captures: Captures) -> bool:
        """True if a method may be one more of the members of objects in functions."""
        holder = level.holder
        in_object = holder is not None and holder.kind == _HOLDER
        in_function = _is_in_function(self._rules, level)
        if in_function and (in_object or level.held is not None or "member" in captures):
            self._local_members += 1
        return self._local_members <= _MOST_LOCAL_MEMBERS or not in_function

    def _has_entry(self, captures: Captures) -> bool:
        """True for a member of an object outside of functions, if the object has few."""
        levels = self._levels
        outer = next(level for level in reversed(levels) if level.held is None)
        holder = outer.holder
        if holder is None:
            is_outside = levels[-1].held is not None
        else:
            is_outside = holder.kind == _HOLDER and holder.parent is None
        is_small = captures["entries"][0].named_child_count <= _MOST_ENTRIES
        return is_outside and not outer.is_local and is_small

    def _declare_held(self) -> _Level:
        """Declare the objects around a member; gives the level of the innermost one."""
        levels = self._levels
        first = len(levels)
        while levels[first - 1].held is not None:
            first -= 1
        outer = levels[first - 1]
        for at in range(first, len(levels)):
            held = levels[at].held
            is_deep = _depth(outer.holder) >= _DEEPEST
            if held is not None and not is_deep and self._complete_held(held, outer):
                draft = held.draft
                path = _path(outer, f"{draft.kind} {draft.name}")
                is_local = _is_in_function(self._rules, outer)
                outer = levels[at]._replace(
                    holder=draft, context=path, is_local=is_local, held=None
                )
            else:
                outer = outer._replace(end=levels[at].end)
            levels[at] = outer
        return outer

    def _complete_held(self, held: _ObjectDraft, outer: _Level) -> bool:
        """Make a declaration of an object; returns whether it is one."""
        draft, captures = held.draft, held.captures
        if not held.is_declared:
            draft.parent, draft.context = outer.holder, outer.context
            draft.is_conditional = outer.is_conditional
            is_one = self._rules.refine(draft, captures, self._source)
            draft.name = one_line(draft.name)
            key = draft.start, draft.end, draft.name_start
            if not is_one or not draft.name or key in self._seen:
                return False
            self._seen.add(key)
            self.drafts.append(draft)
        if not held.is_declared or draft.kind in self._rules.not_local:
            draft.kind = _HOLDER
            end = captures["held"][0].start_byte
            head = self._source.text[draft.head_start : end].rstrip()
            draft.head_end = draft.head_start + len(head.removesuffix("("))
        return True

    def _number(self, draft: Draft) -> None:
        """Name an anonymous class by its base and its number."""
        key = id(draft.parent), draft.name
        self._unnamed[key] += 1
        draft.name = f"{draft.name}${self._unnamed[key]}"

    def _declare(self, start: int, end: int, place: AnchorMatch, level: _Level) -> None:
        if place.label == _MEMBER:
            if not self._has_room(level, place.captures):
                return
            if level.held is not None:
                level = self._declare_held()
        elif "entries" in place.captures:
            if not self._has_entry(place.captures):
                return
            level = self._declare_held() if level.held is not None else level
        draft = _draft(place, start, end, self._source)
        if self._wrap is not None and start < self._wrap.node.end_byte:
            _extend_to_wrap(draft, self._wrap)
        if not _complete_draft(self._rules, draft, level, place.captures, self._source):
            return
        self._wrap = None
        key = (start, end, draft.name_start)
        if key in self._seen:
            return
        self._seen.add(key)
        self.drafts.append(draft)
        if ANONYMOUS in draft.modifiers:
            self._number(draft)
        if "held" in place.captures:
            held = _ObjectDraft(draft, place.captures, is_declared=True)
            self._levels.append(level._replace(end=draft.end, held=held))
        elif draft.kind not in self._rules.leaves:
            context = _path(level, f"{draft.kind} {draft.name}")
            self._levels.append(_Level(draft.end, draft, context, draft.is_conditional))


def _extent(draft: Draft) -> tuple[int, int]:
    return draft.start, -draft.end


def _is_beside(level: _Level, start: int, end: int, place: AnchorMatch) -> bool:
    """True if the innermost declaration is another one of the same statement: `int a, b = 1;`."""
    holder = level.holder
    if holder is None or holder.start != start or holder.end != end:
        return False
    return bool(holder.kind == place.label and holder.node == place.node)


def _is_local(rules: Rules, kind: str, level: _Level) -> bool:
    return kind in rules.not_local and _is_in_function(rules, level)


def _depth(holder: Draft | None) -> int:
    """The number of objects around the contents of a declaration."""
    depth = 0
    while holder is not None and holder.kind == _HOLDER:
        depth += 1
        holder = holder.parent
    return depth


def _is_in_function(rules: Rules, level: _Level) -> bool:
    holder = level.holder
    return level.is_local or (holder is not None and holder.kind in rules.functions)


def _extend_to_wrap(draft: Draft, wrap: AnchorMatch) -> None:
    """Move the beginning of a declaration to the node wrapped around it."""
    draft.start = draft.head_start = wrap.node.start_byte
    draft.row = wrap.node.start_point[0]
    if wrap.label:
        draft.modifiers.add(wrap.label)


def _events(
    matches: QueryMatches, places: list[AnchorMatch]
) -> Iterable[tuple[int, int, AnchorMatch, str]]:
    """All matches that open or change a level, by position and outer before inner.

    Of the declarations these places are among them.
    """
    declared = [place.position // PATTERNS for place in matches.declarations]
    # the sort key, and a number that no two have
    order = [
        (place.position // PATTERNS, -place.node.end_byte, True, number)
        for number, place in enumerate(places)
    ]
    declared.append(_NOWHERE)
    groups = ["def"] * len(places)
    for group in _AROUND:
        after = 0
        for place in matches.others[group]:
            start, end = place.position // PATTERNS, place.node.end_byte
            while declared[after] < start:
                after += 1
            # control flow without a declaration, which most is, is skipped
            if declared[after] < end or group == "access":
                order.append((start, -end, False, len(places)))
                places.append(place)
                groups.append(group)
    order.sort()
    return [(start, -end, places[number], groups[number]) for start, end, _, number in order]


def _path(level: _Level, step: str) -> str:
    if len(level.context) > _MAX_CONTEXT:
        return level.context
    return level.context + _JOINT + step if level.context else step


def _draft(place: AnchorMatch, start: int, end: int, source: Source) -> Draft:
    captures = place.captures
    draft = Draft(place.label, place.node, start, end)
    name = captures.get("name")
    if name is not None:
        draft.name_start = name[0].start_byte
        draft.name = source.text[draft.name_start : name[0].end_byte]
        if len(captures) == _ANCHOR_AND_NAME:
            return draft
    if "until" in captures:
        draft.end = captures["until"][0].end_byte
        draft.last_row = captures["until"][0].end_point[0]
    if "body" in captures:
        draft.head_end = captures["body"][0].start_byte
    elif "before_body" in captures:
        draft.head_end = captures["before_body"][0].end_byte
    if "parameters" in captures:
        parameters = captures["parameters"][0]
        draft.parameters = source.line_of(parameters)
        draft.parameter_count = _count(parameters)
    if "returns" in captures:
        draft.returns = source.line_of(captures["returns"][0])
    for node in captures.get("modifiers", ()):
        _add_modifiers(draft, node, source)
    return draft


def _add_modifiers(draft: Draft, node: Node, source: Source) -> None:
    """Add the words of a node; annotations are no modifiers and don't begin a signature."""
    text = source.of(node)
    if "@" not in text:
        draft.modifiers.update(text.split())
        return
    for child in node.children:
        if not child.is_named:
            draft.modifiers.add(source.of(child))
        elif draft.head_start == child.start_byte:
            draft.head_start = child.end_byte
            blank = source.text[child.end_byte : node.end_byte + 1]
            draft.head_start += len(blank) - len(blank.lstrip())


def _count(parameters: Node) -> int:
    """The number of parameters in a list, without comments between them."""
    count = parameters.named_child_count
    if count:
        count -= sum(node.is_extra for node in parameters.named_children)
    return count


def _complete_draft(
    rules: Rules, draft: Draft, level: _Level, captures: Captures, source: Source
) -> bool:
    """Complete a draft from its level and rules; returns whether it is a declaration."""
    draft.parent = level.holder
    draft.is_conditional = level.is_conditional
    draft.context = level.context
    if not rules.refine(draft, captures, source) or draft.name_start < 0:
        return False
    draft.name = one_line(draft.name)
    return bool(draft.name) and not _is_local(rules, draft.kind, level)


def _find_owners(rules: Rules, drafts: list[Draft]) -> None:
    """Set the parents of members defined outside of them, else qualify the members' names."""
    named: dict[str, Draft] = {}
    inside: set[int] = set()
    for draft in drafts:
        parent = draft.parent
        if parent is not None and (parent.kind in rules.functions or id(parent) in inside):
            # a declaration local to a function has no members defined outside
            inside.add(id(draft))
        elif draft.kind in rules.owner_kinds:
            named.setdefault(draft.name, draft)
    for draft in drafts:
        parent = draft.parent
        if draft.owner and (parent is None or parent.kind in rules.modules):
            holder = named.get(draft.owner) or named.get(draft.owner.rpartition(rules.separator)[2])
            if holder is not None and holder is not draft:
                draft.parent = holder
                draft.context = f"{holder.kind} {holder.name}"
            else:
                draft.name = draft.owner + draft.owner_separator + draft.name


class NumberedDeclarations(NamedTuple):
    """The declarations of a tree, once they are nested and numbered."""

    matches: QueryMatches
    # outer ones before inner ones, and in the order of their numbers
    drafts: list[Draft]
    ordered: list[Draft]
    plain: PlainDeclarations
    # for each number where its declaration stands among the ordered and then the plain ones
    places: Sequence[int]

    def names(self) -> Sequence[str]:
        """All names in the order of their numbers."""
        names = [draft.name for draft in self.ordered]
        return self.merge(names, self.plain.names)

    def name_starts(self, rules: Rules) -> set[int]:
        """The offsets of names at which no reference counts, as they are declared there."""
        found = {draft.name_start for draft in self.drafts if draft.kind not in rules.reopening}
        found.update(self.plain.name_starts)
        return found

    def merge(self, drafted: Sequence[T], plain: Sequence[T]) -> Sequence[T]:
        """A column of all declarations, merged from both kinds."""
        if not self.plain:
            return drafted
        every = [*drafted, *plain]
        return [every[place] for place in self.places]


def declare(
    parsed: ParsedText, line_starts: Sequence[int], *, as_columns: bool
) -> NumberedDeclarations:
    """The declarations of a tree: plain ones as columns, or all as drafts."""
    rules, grammar, tree, source = parsed
    matches = run_query(grammar, tree)
    if rules.regions is not None:
        matches.add_regions(rules.regions(source.text))
    drafts, plain = nest(rules, matches, source, as_columns=as_columns)
    ordered = sorted(drafts, key=_order)
    places: Sequence[int] = range(len(ordered))
    if plain:
        keys = [(*_order(draft), number) for number, draft in enumerate(ordered)]
        keys += plain.keys(line_starts, len(ordered))
        keys.sort()
        places = [key[-1] for key in keys]
    for number, place in enumerate(places):
        if place < len(ordered):
            ordered[place].number = number
    return NumberedDeclarations(matches, drafts, ordered, plain, places)


def _order(draft: Draft) -> tuple[int, int, str, int]:
    return draft.row, -draft.last_row, draft.name, draft.start
