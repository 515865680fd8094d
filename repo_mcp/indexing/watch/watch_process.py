"""The watch process: reports changed files to the server that started it.

Its messages are {"changed": paths}; {"walk": True} when it starts listening and whenever more than
single files may have changed; {"reported": ticket} after all changes from before the server's
{"report": ticket}; and {"failed": reason} before it exits. It loads neither the index nor parsers.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from typing import Final, NoReturn

from repo_mcp.errors import Problem
from repo_mcp.indexing.watch.messages import ReportRequests, WatchScope
from repo_mcp.processes.child_process import ParentPipe

_MOUNTS: Final = "/proc/self/mountinfo"


class _Reporter:
    """Sends changes to the server."""

    def __init__(self, parent: ParentPipe) -> None:
        self._parent = parent

    def look_at(self, paths: Iterable[str]) -> None:
        self._parent.send({"changed": sorted(paths)})

    def walk(self) -> None:
        self._parent.send({"walk": True})

    def answer(self, ticket: int) -> None:
        self._parent.send({"reported": ticket})


def main() -> NoReturn:
    """Watch until that is impossible, or the server is gone."""
    parent = ParentPipe()
    scope = WatchScope.from_record(parent.receive())
    parent.send({"failed": _listen(scope, parent)})
    os._exit(0)


def _take_requests(parent: ParentPipe) -> ReportRequests:
    """The server's requests, which a thread receives."""
    requests = ReportRequests()

    def receive() -> None:
        while True:
            requests.add(parent.receive()["report"])

    threading.Thread(target=receive, daemon=True).start()
    return requests


def _listen(scope: WatchScope, parent: ParentPipe) -> str:
    """Report changes until that is no longer possible; returns the reason."""
    try:
        return _listen_here(scope, parent)
    except ImportError:
        return "watchfiles is not installed"
    except Problem as problem:
        return problem.reason
    except Exception as error:  # noqa: BLE001 a library raises what the system says, in many types
        return " ".join(str(error).split())[:200] or type(error).__name__


def _listen_here(scope: WatchScope, parent: ParentPipe) -> str:
    """Report changes with this system's way to watch."""
    reporter = _Reporter(parent)
    if sys.platform == "linux":
        if _is_windows_drive(scope.root):
            return "Windows reports no changes of its files to WSL"
        from repo_mcp.indexing.watch import linux  # noqa: PLC0415 Linux only

        reason = linux.listen(scope, reporter, _take_requests(parent))
    else:
        from repo_mcp.indexing.watch import others  # noqa: PLC0415 it may be missing

        reason = others.listen(scope, reporter)
    return reason


def _is_windows_drive(root: str) -> bool:
    """True if a folder is on a Windows drive, seen from WSL."""
    if "microsoft" not in os.uname().release.lower():
        return False
    device = os.stat(root).st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    with suppress(OSError), open(_MOUNTS, encoding="utf-8", errors="replace") as mounts:
        lines = [line.split(" ") for line in mounts]
        return any(parts[2] == number and "9p" in parts for parts in lines)
    return False
