"""Sheets of languages: what each type of node is, and where its parts are.

A row names types of nodes, their form, and slots:

    class_declaration  type  def=class @name=name: decorate=modifiers members=class_body

* The form is how nodes are lowered: one of `code/forms.py`, or a method of the language's lowering.
* `def=KIND`, `flow=LABEL`, `import`, `comment`, `unit` and the like are anchors of the query that
  finds facts (`matches.py`); `@name` and the like are its further captures, in the order in which
  they stand. Their selectors are types of children: `name:` is a field, `"object"` a token, `_` any
  named child, `a/b` a child of a child, `.b` the first one, `a?` may be missing, `a|b` is another
  pattern.
* Other slots are parts that a form or the language lowers: types of children, with commas between.

So a sheet is compiled to a query, which runs in C, and to handlers. What is no row, as a node that
only counts beside another, stands behind the rows as a pattern of the query.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from index_format.tuples import NamedTuple

_CAPTURE: Final = "@"
_DECLARES: Final = "def"
# anchors that say no more than that a node is one
_MARKS: Final = frozenset({"import", "comment", "unit", "attribute", "access", "skip", "wrap", "use"})
# patterns of their own, whose anchor is within the node
_WITHIN: Final = "extends"


class SheetRow(NamedTuple):
    """What nodes of one type are."""

    node: str
    form: str
    # in the order in which they stand; an anchor without a value has an empty one
    slots: Mapping[str, str]

    def parts(self) -> Mapping[str, Sequence[str]]:
        """The slots that are lowered, with types of children."""
        return {
            slot: types.split(",")
            for slot, types in self.slots.items()
            if not slot.startswith(_CAPTURE) and slot not in _ANCHORS
        }

    def patterns(self) -> Iterator[str]:
        """The patterns of the query that this row says."""
        if _DECLARES in self.slots:
            yield from self._declarations(self.slots[_DECLARES])
        for selector in filter(None, self.slots.get(_CAPTURE + _WITHIN, "").split("|")):
            yield f"({self.node} {_selected(selector, _WITHIN)})"
        for label in filter(None, self.slots.get("flow", "").split("|")):
            yield f"({self.node}) @flow.{label}"
        yield from (f"({self.node}) @{mark}" for mark in self.slots if mark in _MARKS)

    def _declarations(self, kind: str) -> Iterator[str]:
        captures = [
            [(slot.removeprefix(_CAPTURE), selector) for selector in _alternatives(selectors)]
            for slot, selectors in self.slots.items()
            if slot.startswith(_CAPTURE) and slot != _CAPTURE + _WITHIN
        ]
        for chosen in product(*captures):
            parts = " ".join(_selected(selector, capture) for capture, selector in chosen)
            yield f"({self.node} {parts}) @def.{kind}"


_ANCHORS: Final = _MARKS | {_DECLARES, "flow"}


class Sheet:
    """The rows of a language."""

    def __init__(self, text: str, patterns: str = "") -> None:
        """Read rows, one a line; `patterns` are those of the query that are no rows."""
        self._patterns = patterns
        self.rows: dict[str, SheetRow] = {}
        for line in text.splitlines():
            words = line.partition("#")[0].split()
            if words:
                nodes, form, *slots = words
                pairs = (slot.partition("=")[::2] for slot in slots)
                row = SheetRow("", form, dict(pairs))
                self.rows |= {node: row._replace(node=node) for node in nodes.split("|")}

    def query(self) -> str:
        """The query that finds facts."""
        rows = (pattern for row in self.rows.values() for pattern in row.patterns())
        return "\n".join((*rows, self._patterns))


def _alternatives(selectors: str) -> list[str]:
    """The selectors between bars; one behind a field is for nodes without it."""
    found: list[str] = []
    without = ""
    for selector in selectors.split("|"):
        found.append(f"{without}{selector}")
        if selector.endswith(":"):
            without += f"!{selector[:-1]} "
    return found


def _selected(selector: str, capture: str) -> str:
    """The pattern of a selector, of which the last step is captured."""
    *without, path = selector.split(" ")
    optional = "?" if path.endswith("?") else ""
    *outer, last = path.removesuffix("?").split("/")
    pattern = f"{_step(last)}{optional} @{capture}"
    for step in reversed(outer):
        pattern = f"({step} {pattern})"
    return " ".join((*without, pattern))


def _step(step: str) -> str:
    """The pattern of one child."""
    if step.startswith('"'):
        return step
    if step.startswith("."):
        return f". {_step(step[1:])}"
    if step.endswith(":"):
        return f"{step} (_)"
    return f"({step})"
