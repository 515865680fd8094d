"""Which declaration holds which, and the control flow on the way: one sweep over the text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from repo_mcp.languages.treesitter.language_rules import Captures, Draft, Rules
from repo_mcp.languages.treesitter.matches import PATTERNS, Matches, Place
from repo_mcp.languages.treesitter.source import Source, one_line

if TYPE_CHECKING:
    from tree_sitter import Node

_LONGEST_CONTEXT: Final = 300
_JOINT: Final = " > "


class _Level(NamedTuple):
    """What is open at a place of the text."""

    end: int
    holder: Draft | None
    context: str
    is_conditional: bool
    # inside a function that has no name
    is_local: bool = False


# the label of a flow that is nothing but a function without a name
_ANONYMOUS: Final = "anonymous"
_MODULE: Final = _Level(1 << 62, None, "", is_conditional=False)
_NOWHERE: Final = 1 << 62
# besides declarations, what opens a level or stands on one
_AROUND: Final = ("access", "flow", "skip", "wrap")


def nest(rules: Rules, matches: Matches, source: Source) -> list[Draft]:
    """The declarations, each complete and in its place; in order of their offsets."""
    sweep = _Sweep(rules, source)
    for start, end, place, group in _events(matches):
        if start >= sweep.skipped_until:
            sweep.meet(start, end, place, group)
    _find_owners(rules, sweep.drafts)
    sweep.drafts.sort(key=_extent)
    return sweep.drafts


class _Sweep:
    """Goes over the text and remembers what is open."""

    __slots__ = ("_levels", "_rules", "_seen", "_source", "_wrap", "drafts", "skipped_until")

    def __init__(self, rules: Rules, source: Source) -> None:
        self._rules = rules
        self._source = source
        self._levels = [_MODULE]
        self._seen: set[tuple[int, int, int]] = set()
        self._wrap: Place | None = None
        self.drafts: list[Draft] = []
        self.skipped_until = -1

    def meet(self, start: int, end: int, place: Place, group: str) -> None:
        """What begins at the next place of the text."""
        while self._levels[-1].end <= start:
            self._levels.pop()
        level = self._levels[-1]
        if group == "def":
            if not _is_local(self._rules, place.label, level):
                self._declare(start, end, place, level)
        elif group == "flow":
            label = self._rules.flow(place.label, place.captures, self._source)
            end = min(end, level.end)
            if label == _ANONYMOUS:
                self._levels.append(level._replace(end=end, is_local=True))
            elif label:
                path = _path(level, label)
                self._levels.append(level._replace(end=end, context=path, is_conditional=True))
        elif group == "access":
            if level.holder is not None:
                level.holder.mark = self._source.of(place.node)
        elif group == "skip":
            self.skipped_until = end
        elif self._wrap is None or self._wrap.node.end_byte <= start:
            self._wrap = place

    def _declare(self, start: int, end: int, place: Place, level: _Level) -> None:
        draft = _draft(place, start, end, self._source)
        if self._wrap is not None and start < self._wrap.node.end_byte:
            _unwrap(draft, self._wrap)
        if not _complete(self._rules, draft, level, place.captures, self._source):
            return
        self._wrap = None
        key = (start, end, draft.name_start)
        if key in self._seen:
            return
        self._seen.add(key)
        self.drafts.append(draft)
        if draft.kind not in self._rules.leaves:
            context = _path(level, f"{draft.kind} {draft.name}")
            self._levels.append(_Level(draft.end, draft, context, draft.is_conditional))


def _extent(draft: Draft) -> tuple[int, int]:
    return draft.start, -draft.end


def _is_local(rules: Rules, kind: str, level: _Level) -> bool:
    holder = level.holder
    inside = level.is_local or (holder is not None and holder.kind in rules.functions)
    return inside and kind in rules.not_local


def _unwrap(draft: Draft, wrap: Place) -> None:
    """Let a declaration begin where what is wrapped around it does."""
    draft.start = draft.head_start = wrap.node.start_byte
    draft.row = wrap.node.start_point[0]
    if wrap.label:
        draft.modifiers.add(wrap.label)


def _events(matches: Matches) -> list[tuple[int, int, Place, str]]:
    """All that opens a level or stands on one: outer before inner, and so by place."""
    declared = [place.place // PATTERNS for place in matches.declarations]
    events = [
        (start, place.node.end_byte, place, "def")
        for start, place in zip(declared, matches.declarations, strict=True)
    ]
    declared.append(_NOWHERE)
    for group in _AROUND:
        after = 0
        for place in matches.others[group]:
            start, end = place.place // PATTERNS, place.node.end_byte
            while declared[after] < start:
                after += 1
            # most control flow holds no declaration and is passed over
            if declared[after] < end or group == "access":
                events.append((start, end, place, group))
    events.sort(key=_outer_first)
    return events


def _outer_first(event: tuple[int, int, Place, str]) -> tuple[int, int, bool]:
    return event[0], -event[1], event[3] == "def"


def _path(level: _Level, step: str) -> str:
    if len(level.context) > _LONGEST_CONTEXT:
        return level.context
    return level.context + _JOINT + step if level.context else step


def _draft(place: Place, start: int, end: int, source: Source) -> Draft:
    captures = place.captures
    draft = Draft(place.label, place.node, start, end)
    name = captures.get("name")
    if name is not None:
        draft.name_start = name[0].start_byte
        draft.name = source.text[draft.name_start : name[0].end_byte]
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
    """The words of a node; annotations among them are none, and don't begin a signature."""
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
    """How many parameters a list has: its parts, without remarks between them."""
    count = parameters.named_child_count
    if count:
        count -= sum(node.is_extra for node in parameters.named_children)
    return count


def _complete(
    rules: Rules, draft: Draft, level: _Level, captures: Captures, source: Source
) -> bool:
    """Whether the draft is a declaration after all, with what its place and language add."""
    draft.parent = level.holder
    draft.is_conditional = level.is_conditional
    draft.context = level.context
    if not rules.refine(draft, captures, source) or draft.name_start < 0:
        return False
    draft.name = one_line(draft.name)
    return bool(draft.name) and not _is_local(rules, draft.kind, level)


def _find_owners(rules: Rules, drafts: list[Draft]) -> None:
    """Give what names its holder that holder, or else its name."""
    named: dict[str, Draft] = {}
    inside: set[int] = set()
    for draft in drafts:
        parent = draft.parent
        if parent is not None and (parent.kind in rules.functions or id(parent) in inside):
            # what a function declares for itself holds nothing from outside
            inside.add(id(draft))
        elif draft.kind in rules.owning:
            named.setdefault(draft.name, draft)
    for draft in drafts:
        parent = draft.parent
        if draft.owner and (parent is None or parent.kind in rules.modules):
            holder = named.get(draft.owner) or named.get(draft.owner.rpartition(rules.joint)[2])
            if holder is not None and holder is not draft:
                draft.parent = holder
                draft.context = f"{holder.kind} {holder.name}"
            else:
                draft.name = draft.owner + draft.owner_joint + draft.name
