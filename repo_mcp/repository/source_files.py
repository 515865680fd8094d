"""Files as they are now, beside what one generation of an index has of them; each is read once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from index_format import Snapshot
from index_format.analysis.content import fingerprint, lines
from index_format.records import Record
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.text.files import decode
from repo_mcp.text.plurals import counted

if TYPE_CHECKING:  # few answers have lines under conditions
    from repo_mcp.builds.line_states import LineStates

_MOST_NAMED: Final = 3


class OutdatedFiles(Record):
    """Files of which an index has another text than they have now, and those that are gone."""

    changed: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        """True if there are any."""
        return bool(self.changed or self.gone)

    @property
    def paths(self) -> frozenset[str]:
        """All of them."""
        return self.changed | self.gone

    def warning(self) -> AnswerWarning:
        """A warning that names the first of them."""
        parts = [_list(self.changed, "changed since"), _list(self.gone, "removed since")]
        listed = "; ".join(filter(None, parts))
        return AnswerWarning(
            "stale",
            f"files of this answer are other than when their symbols were linked: {listed}",
            names=tuple(sorted(self.paths)),
        )


def _list(paths: Iterable[str], why: str) -> str:
    names = sorted(paths)
    more = f" and {counted(len(names) - _MOST_NAMED, 'other')}" if len(names) > _MOST_NAMED else ""
    return f"{why}: {', '.join(names[:_MOST_NAMED])}{more}" if names else ""


class SourceFiles:
    """The files of one snapshot as they are now."""

    def __init__(
        self, sandbox: Sandbox, snapshot: Snapshot, states: LineStates | None = None
    ) -> None:
        """Nothing is read yet; the `states` of lines are those in the builds of a question."""
        self.states = states
        self._sandbox = sandbox
        self._snapshot = snapshot
        self._prints: dict[str, bytes | None] = {}
        self._rows: dict[str, list[str]] = {}

    def line(self, path: str, number: int) -> str:
        """A line without the blanks around it; empty if it is not there."""
        rows = self._lines_of(path)
        return rows[number - 1].strip() if 0 < number <= len(rows) else ""

    def lines(self, path: str, first: int, last: int) -> list[str]:
        """Lines of a file as they are, from `first` to `last`; fewer where it is shorter."""
        return self._lines_of(path)[first - 1 : last]

    def text(self, path: str) -> str:
        """The text of a file; empty if it is not there, or no text."""
        return "\n".join(self._lines_of(path))

    def mark(self, path: str, line: int) -> str:
        """The condition of a line, and the builds that leave it out; empty without any."""
        return "" if self.states is None else str(self.states.at(path, line))

    def is_left_out(self, path: str, line: int) -> bool:
        """True if no build that is asked about compiles a line."""
        return self.states is not None and self.states.at(path, line).is_left_out

    def compare(self, paths: Iterable[str]) -> None:
        """Have `outdated` tell of these files, too."""
        for path in paths:
            if path and path not in self._prints:
                self._read(path)

    def outdated(self, paths: Iterable[str] = ()) -> OutdatedFiles:
        """Files, these and all read before, of which the snapshot has another text."""
        self.compare(paths)
        changed, gone = set[str](), set[str]()
        for path, now in self._prints.items():
            known = self._snapshot.file(path)
            if now is None and known is not None:
                gone.add(path)
            elif known is not None and known.fingerprint != now:
                changed.add(path)
        return OutdatedFiles(frozenset(changed), frozenset(gone))

    def _lines_of(self, path: str) -> list[str]:
        if path not in self._rows:
            text = decode(self._read(path))
            self._rows[path] = [] if text is None else lines(text.content)
        return self._rows[path]

    def _read(self, path: str) -> bytes:
        try:
            data = self._sandbox.read(path, follow=False).data
        except Problem:
            self._prints[path] = None
            return b""
        self._prints[path] = fingerprint(data)
        return data
