"""Holds what is open of one root, and opens it anew when another folder has taken its place.

Which folder the root is, is decided by its descriptor: it is opened at the path to which the root
led at the start, and compared with the one that is open. While that one is open, no other folder
can have its device and inode.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Final, Generic, Protocol, TypeVar

from repo_mcp.model import AnswerWarning
from repo_mcp.safety.sandbox import Door, RootState, Sandbox, open_root

REPLACED: Final = AnswerWarning(
    "root_replaced",
    "the repository's folder was removed or replaced: this answer is from the one there now,"
    " earlier ones may no longer hold",
)
LINK_MOVED: Final = AnswerWarning(
    "root_link_moved",
    "the link by which the repository was given leads elsewhere now: this answer is from where it"
    " led at the start; restart the server to follow it",
)
_IN_PLACE: Final = frozenset({RootState.SAME, RootState.LINK_MOVED})


class OpenParts(Protocol):
    """Everything that works on one open root."""

    @property
    def sandbox(self) -> Sandbox:
        """A sandbox around the root."""
        ...

    @property
    def is_outdated(self) -> bool:
        """True if the settings with which it was opened have changed."""
        ...

    def close(self) -> None:
        """Stop background work; calls that still use it end in their own time."""
        ...


P = TypeVar("P", bound=OpenParts)


class RootKeeper(Generic[P]):
    """The parts of one root; thread-safe.

    The parts before are closed but not waited for: calls that began with them read on from the
    folder that they began with, and the last one to end closes its descriptor.
    """

    def __init__(
        self,
        root: str,
        real: str,
        open_parts: Callable[[Door], P],
        open_door: Callable[[], Door] | None = None,
        replaced: AnswerWarning = REPLACED,
    ) -> None:
        """Keep the root's path, where it led at the start, and what makes the parts.

        A root that is no folder has something else that opens its door, and another warning that
        says so once another has taken its place.
        """
        self._open_door = open_door or (lambda: open_root(root, real))
        self._open_parts = open_parts
        self._warning = replaced
        self._lock = threading.Lock()
        self._parts: P | None = None
        # the root was lost, and no answer has said so yet
        self._replaced = False
        self._link_moved = False

    @property
    def is_open(self) -> bool:
        """True if there are parts; they may be outdated."""
        return self._parts is not None

    def current(self) -> P:
        """The parts of the folder that is at the root now; raises a `Problem` if there is none.

        To be called once for each call, which then works with these parts to its end.
        """
        with self._lock:
            parts = self._parts
            state = RootState.MISSING if parts is None else parts.sandbox.root_state()
            self._link_moved = state is RootState.LINK_MOVED
            if parts is None or state not in _IN_PLACE or parts.is_outdated:
                parts = self._parts = self._reopen(parts)
            return parts

    def take_warnings(self) -> list[AnswerWarning]:
        """Warnings for an answer from the current parts; that of a new folder comes once."""
        with self._lock:
            replaced, self._replaced = self._replaced, False
            link_moved = self._link_moved
        return [*([self._warning] if replaced else []), *([LINK_MOVED] if link_moved else [])]

    def close(self) -> None:
        """Close the parts; the next call opens them again."""
        with self._lock:
            if self._parts is not None:
                self._parts.close()
                self._parts = None

    def _reopen(self, before: P | None) -> P:
        try:
            door = self._open_door()
        except BaseException:
            self._retire(before, replaced=before is not None)
            raise
        replaced = before is not None and before.sandbox.folder != door.folder
        if before is not None and not replaced and not before.is_outdated:
            return before
        self._retire(before, replaced=replaced)
        return self._open_parts(door)

    def _retire(self, before: P | None, *, replaced: bool) -> None:
        self._parts = None
        self._replaced = self._replaced or replaced
        if before is not None:
            before.close()
            # a method cached on a call is a cycle, and holds the root as well
            gc.collect()
