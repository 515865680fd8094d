"""Sheets of languages: what each type of node is, and where its parts are.

A row names types of nodes, their form, and slots:

    class_declaration   type      def=class @name=name: decorate=modifiers members=class_body
    true|false          literal   of=bool

* The form is how nodes are lowered: one of `code/forms.py`, or a method of the language's lowering;
  `-` stands for none. A `literal` is a value of a type, what is to `skip` is not entered, and
  `step=` names the method for a node within a chain, `truth=` operators that give truth values. A
  token stands in quotes.
* `def=KIND`, `flow=LABEL` and `import`, `comment`, `unit` and so on are anchors of the query that
  finds facts (`matches.py`). `@name` and the like are captures of a declaration or an import, in
  the order in which they stand; `has=` must be there, `!field` must not. `@extends` and the like
  are anchors within the node.
* Selectors tell children: `name:` by a field, `block` by a type, `"new"` by a token, `_` any but a
  token, `*` any; `name:block` by both, `a,b` one of these, `a/b` a child of a child, `.b` the first
  one or the next; `a?` may be missing. What stands behind `|` is another pattern.
* Other slots are parts that a form lowers: types of children, with commas between.
* A row of `&` adds anchors to the types of the row before.

So a sheet is compiled to a query, which runs in C, and to handlers. What counts only where it
stands in several others is a pattern of the query, which goes before the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from index_format.tuples import NamedTuple

_CAPTURE: Final = "@"
_DECLARES: Final = "def"
_FLOW: Final = "flow"
_STEP: Final = "step"
_OF: Final = "of"
_TRUTH: Final = "truth"
_HAS: Final = "has"
_WITHOUT: Final = "!"
_ALSO: Final = "&"
_NO_FORM: Final = "-"
_ANY: Final = "*"
LITERAL: Final = "literal"
SKIPPED: Final = "skip"
# anchors that say no more than that a node is one
_MARKS: Final = frozenset(
    {"import", "comment", "unit", "attribute", "access", "skip", "wrap", "use", "object"}
)
# anchors that may be within a node
_WITHIN: Final = frozenset(f"{_CAPTURE}{mark}" for mark in (*_MARKS, "extends"))
_ANCHORS: Final = _MARKS | {_DECLARES, _FLOW}
_NO_PARTS: Final = _ANCHORS | {_STEP, _OF, _HAS, _TRUTH}


class SheetRow(NamedTuple):
    """A type of nodes: its form, and its slots."""

    node: str
    form: str
    # in the order in which they stand; one without a value has an empty one
    slots: Sequence[tuple[str, str]]

    def value(self, slot: str) -> str:
        """The value of a slot; empty without it."""
        return next((value for name, value in self.slots if name == slot), "")

    def parts(self) -> Sequence[tuple[str, Sequence[str]]]:
        """The slots that are lowered, with types of children."""
        return [
            (slot, types.split(","))
            for slot, types in self.slots
            if slot[0] not in {_CAPTURE, _WITHOUT} and slot not in _NO_PARTS
        ]

    def patterns(self) -> Iterator[str]:
        """The patterns of the query that this row says."""
        captured = [*self._captured()]
        for slot, value in self.slots:
            if slot in _ANCHORS:
                anchor = f"{slot}.{value}" if value else slot
                yield from (f"({self.node}{parts}) @{anchor}" for parts in captured)
                captured = [""]
            elif slot in _WITHIN:
                for selector in value.split("|"):
                    yield f"({self.node} {_selected(selector, slot)})"

    def _captured(self) -> Iterator[str]:
        """The children that are captured with an anchor, one way after the other."""
        ways = [
            [(slot, selector) for selector in _alternatives(selectors)]
            for slot, selectors in self.slots
            if slot[0] in {_CAPTURE, _WITHOUT} or slot == _HAS
            if slot not in _WITHIN
        ]
        for chosen in product(*ways):
            yield "".join(f" {_selected(selector, slot)}" for slot, selector in chosen)


class Sheet:
    """The rows of a language, and of one that it is a dialect of."""

    def __init__(self, text: str, patterns: str = "", *, base: Sheet | None = None) -> None:
        """Read rows, one a line; `patterns` are further patterns of the query."""
        self._patterns = patterns
        self._base = base
        self._rows: list[SheetRow] = []
        nodes, form = "", _NO_FORM
        for line in text.splitlines():
            words = line.partition("#")[0].split()
            if words[:1] == [_ALSO]:
                words = [nodes, _NO_FORM, *words[1:]]
            if words:
                nodes, form, *slots = words
                pairs = [slot.partition("=")[::2] for slot in slots]
                self._rows += (SheetRow(node, form, pairs) for node in nodes.split("|"))
        # the rows that lower nodes
        self.rows: dict[str, SheetRow] = {} if base is None else dict(base.rows)
        self.rows |= {row.node: row for row in self._rows if row.form != _NO_FORM}

    def query(self) -> str:
        """The query that finds facts."""
        rows = (pattern for row in self._rows for pattern in row.patterns())
        inner = () if self._base is None else (self._base.query(),)
        return "\n".join((self._patterns, *rows, *inner))

    def handlers(self) -> Mapping[str, str]:
        """The forms of nodes."""
        rows = self.rows.items()
        others = {LITERAL, SKIPPED}
        return {node: row.form for node, row in rows if row.form not in others and node[0] != '"'}

    def tokens(self) -> Mapping[str, str]:
        """The forms of tokens."""
        rows = self.rows.items()
        return {node.strip('"'): row.form for node, row in rows if node[0] == '"'}

    def literals(self) -> Mapping[str, str]:
        """The types of literals."""
        rows = self.rows.items()
        return {node: row.value(_OF) for node, row in rows if row.form == LITERAL}

    def skipped(self) -> frozenset[str]:
        """The nodes that are not entered."""
        return frozenset(node for node, row in self.rows.items() if row.form == SKIPPED)

    def truths(self) -> frozenset[str]:
        """The operators that give truth values."""
        values = (row.value(_TRUTH).split(",") for row in self.rows.values())
        return frozenset(operator for row in values for operator in row if operator)

    def steps(self) -> Mapping[str, str]:
        """The methods for nodes within a chain."""
        rows = ((node, row.value(_STEP)) for node, row in self.rows.items())
        return {node: method for node, method in rows if method}


def _alternatives(selectors: str) -> list[str]:
    """The selectors between bars; one behind a field is for nodes without it."""
    found: list[str] = []
    without = ""
    for selector in selectors.split("|"):
        found.append(f"{without}{selector}")
        if selector.endswith(":"):
            without += f"!{selector[:-1]} "
    return found


def _selected(selector: str, slot: str) -> str:
    """The pattern of a selector; a capture takes its last step."""
    if slot.startswith(_WITHOUT):
        return slot
    *without, path = selector.split(" ")
    optional = "?" if path.endswith("?") else ""
    *outer, last = path.removesuffix("?").split("/")
    capture = f" {slot}" if slot.startswith(_CAPTURE) else ""
    pattern = f"{_step(last)}{optional}{capture}"
    for step in reversed(outer):
        opened = _step(step)
        pattern = f"{opened[:-1]} {pattern})"
    return " ".join((*without, pattern))


def _step(step: str) -> str:
    """The pattern of one child."""
    if step.startswith("."):
        return f". {_step(step[1:])}"
    field, colon, types = step.rpartition(":") if step[0] != '"' else ("", "", step)
    patterns = [*map(_typed, types.split(","))]
    pattern = patterns[0] if len(patterns) == 1 else f"[{' '.join(patterns)}]"
    return f"{field}: {pattern if types else '(_)'}" if colon else pattern


def _typed(kind: str) -> str:
    """The pattern of a type, a token or anything."""
    if kind == _ANY:
        return "_"
    return kind if kind[:1] == '"' else f"({kind})"
