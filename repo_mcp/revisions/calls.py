"""Answers calls from another revision, where they name one: as `rev`, or `rev:NAME` in a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

from index_format.tuples import NamedTuple
from repo_mcp.audit.log import AuditLog
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.services import Arguments, Context

_ARGUMENT: Final = "rev"
# the same of pages, for tools that have no such argument
INNER: Final = "at_revision"
_REV: Final = re.compile(r"(?:^|(?<=[\s(]))rev:(?:\"([^\"]+)\"|([^\s()\"]+))")
# they read the past of the repository, and have an argument of this name
_OWN: Final = frozenset({"repo.history", "repo.changes"})
# modes whose queries are texts to be found
_PLAIN_MODES: Final = frozenset({"literal", "regex", "structure"})
_QUERY: Final = "query"


class RevisionHandlers(Protocol):
    """Runs the tools of a toolset."""

    @property
    def audit(self) -> AuditLog:
        """The log of calls."""
        ...

    @property
    def root_warnings(self) -> Callable[[], Sequence[AnswerWarning]]:
        """Warnings about the root, for one answer."""
        ...

    def call(self, name: str, arguments: Arguments, context: Context) -> Outcome:
        """Run one call; raises `Problem` if it can't be answered."""
        ...


class RevisionQuestion(NamedTuple):
    """The name of a revision, and the arguments of a call without it."""

    name: str
    arguments: Mapping[str, Any]


def find_question(tool: str, arguments: Mapping[str, Any]) -> RevisionQuestion | None:
    """The revision that a call is about; None if it is about the files as they are."""
    if tool in _OWN:
        return None
    given = dict(arguments)
    names = [name for key in (_ARGUMENT, INNER) if (name := given.pop(key, ""))]
    is_plain = given.get("mode") in _PLAIN_MODES
    for key, value in arguments.items():
        if key in {_ARGUMENT, INNER} or (key == _QUERY and is_plain):
            continue
        if isinstance(value, str) and "rev:" in value:
            names += _named(value)
            given[key] = _without(value)
        elif isinstance(value, list) and any("rev:" in str(item) for item in value):
            names += [name for item in value for name in _named(str(item))]
            given[key] = [_without(item) if isinstance(item, str) else item for item in value]
    if not names:
        return None
    several = [*dict.fromkeys(names)]
    if len(several) > 1:
        text = f"a call is about one revision, not {' and '.join(several[:3])}"
        raise Problem("argument_invalid", text)
    return RevisionQuestion(several[0], given)


def _named(text: str) -> Iterator[str]:
    return (match[1] or match[2] for match in _REV.finditer(text))


def _without(text: str) -> str:
    found = _REV.sub("", text)
    return text if found == text else " ".join(found.split())


class RevisionCalls:
    """Runs the tools of a toolset over the files as they are, or over another revision."""

    def __init__(
        self,
        present: RevisionHandlers,
        handlers_at: Callable[[str], tuple[RevisionHandlers, AnswerWarning]],
    ) -> None:
        """`handlers_at` makes the handlers of the same toolset for a revision of this name.

        Beside them, it says which one that is.
        """
        self.audit = present.audit
        self.root_warnings = present.root_warnings
        self._present = present
        self._handlers_at = handlers_at

    def call(self, name: str, arguments: Arguments, context: Context) -> Outcome:
        """Run one call; raises `Problem` if it can't be answered."""
        asked = find_question(name, arguments)
        if asked is None:
            return self._present.call(name, arguments, context)
        handlers, note = self._handlers_at(asked.name)
        outcome = handlers.call(name, asked.arguments, context)
        return outcome._replace(warnings=[note, *outcome.warnings])
