"""Answers hooks from what a server has open: a socket that only the user can reach."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from index_format.tuples import NamedTuple

# what answers load when they need it is loaded before the first hook asks
from repo_mcp.ask.uses import find_uses  # noqa: F401 see above
from repo_mcp.audit.log import AuditLog
from repo_mcp.budget import Budget, Clock
from repo_mcp.hook import endpoint, prompt_facts, search_facts  # noqa: F401 as above
from repo_mcp.hook.answer import answer_question
from repo_mcp.hook.event import format_answer, read_event
from repo_mcp.hook.question import question_in
from repo_mcp.hook.stored import StoredIndex
from repo_mcp.hook.weights import EventLimits
from repo_mcp.repository import Repository
from repo_mcp.search import ExactEngine, ExactQuery  # noqa: F401 as above
from repo_mcp.settings import Options

# of a request: an event, and what stands before it
_BYTES: Final = EventLimits.BYTES + 100
_PIECE: Final = 1 << 16
# hooks that may wait for the one before them
_WAITING: Final = 8
# a hook sends its request at once
_SECONDS: Final = 1.0


class OpenRepository(Protocol):
    """The roots that a server has open, as one repository."""

    def repository(self) -> Repository:
        """The repository."""
        ...

    def audit(self) -> AuditLog:
        """The log of what is shown of it."""
        ...


class HookAnswers(NamedTuple):
    """Answers of a server to hooks, from all that it has open."""

    options: Options
    offer: OpenRepository
    clock: Clock = time.monotonic

    @property
    def roots(self) -> Sequence[str]:
        """The folders that it serves."""
        return [mount.real for mount in self.options.mounts] or [self.options.real_root]

    def answer(self, request: bytes) -> bytes | None:
        """The output of a hook, empty for silence; None for one that is not of this server."""
        unpacked = endpoint.unpack(request)
        if unpacked is None:
            return None
        kind, data = unpacked
        event = read_event(data)
        if event is None or not self._serves(event.folder):
            return None
        question = question_in(kind, event)
        if not question:
            return b""
        index = StoredIndex.of_open(self.offer.repository())
        if index is None:
            return None
        budget = Budget(EventLimits.SECONDS, clock=self.clock)
        text = answer_question(kind, event, question, index, self.offer.audit(), budget)
        return format_answer(event, text) if text else b""

    def _serves(self, folder: str) -> bool:
        inside = os.path.realpath(folder) + os.sep
        return bool(folder) and any(
            inside.startswith(root.rstrip(os.sep) + os.sep) for root in self.roots
        )


def listen(answers: HookAnswers, folder: Path | None = None) -> bool:
    """Answer hooks from now on, in a thread of its own; False where that can't be done."""
    folder = folder or Path(endpoint.own_folder())
    with suppress(OSError):
        folder.mkdir(0o700)
    if not endpoint.is_private(str(folder)):
        return False
    try:
        _remove_ended(folder)
        name = os.urandom(8).hex()
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        begun = folder / endpoint.begun_name(name)
        server.bind(str(begun))
        server.listen(_WAITING)
        begun.rename(folder / name)
        for root in answers.roots:
            (folder / endpoint.link_name(Path(root).stat(), name)).symlink_to(name)
    except OSError:
        return False
    threading.Thread(target=_answer_all, args=(server, answers), daemon=True).start()
    return True


def _remove_ended(folder: Path) -> None:
    """Remove what servers that have ended have left: they end without cleaning up."""
    entries = [*folder.iterdir()]
    for socket_file in entries:
        name = socket_file.name
        if not endpoint.server_of(name) and not _listens(str(socket_file)):
            for entry in entries:
                if name in {entry.name, endpoint.server_of(entry.name)}:
                    entry.unlink(missing_ok=True)


def _listens(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        asking.settimeout(_SECONDS)
        try:
            asking.connect(path)
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:  # too many wait
            return True
    return True


def _answer_all(server: socket.socket, answers: HookAnswers) -> None:
    """Answer one hook after another, for as long as the server runs."""
    with suppress(Exception):  # the first hook is to wait for no file
        StoredIndex.of_open(answers.offer.repository())
    while True:
        connection, _ = server.accept()
        with connection, suppress(Exception):  # of which the hook's own way may know better
            connection.settimeout(_SECONDS)
            request = _receive(connection)
            output = None if request is None else answers.answer(request)
            if output is not None:
                connection.sendall(endpoint.ANSWERED + output)


def _receive(connection: socket.socket) -> bytes | None:
    """A whole request; None for one that is too long."""
    pieces: list[bytes] = []
    held = 0
    while piece := connection.recv(_PIECE):
        pieces.append(piece)
        held += len(piece)
        if held > _BYTES:
            return None
    return b"".join(pieces)
