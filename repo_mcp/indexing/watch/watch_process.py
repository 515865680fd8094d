"""The process that hears of changes for a server: it says which files changed, and nothing else.

It says {"changed": paths}, {"walk": True} where more than single files may have changed or when it
begins to listen, and {"failed": reason} before it gives up. It loads neither the index nor parsers.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Final, NoReturn

from repo_mcp.errors import Problem
from repo_mcp.indexing.processes.child_process import ParentPipe
from repo_mcp.indexing.watch.messages import WatchScope

_MOUNTS: Final = "/proc/self/mountinfo"


class _Reporter:
    """Sends changes to the server."""

    def __init__(self, parent: ParentPipe) -> None:
        self._parent = parent

    def look_at(self, paths: Iterable[str]) -> None:
        self._parent.send({"changed": sorted(paths)})

    def walk(self) -> None:
        self._parent.send({"walk": True})


def main() -> NoReturn:
    """Listen until there is nothing more to hear, or nobody to tell."""
    parent = ParentPipe()
    watched = WatchScope.from_record(parent.receive())
    parent.send({"failed": _why_it_ended(watched, _Reporter(parent))})
    os._exit(0)


def _why_it_ended(watched: WatchScope, reporter: _Reporter) -> str:
    try:
        if sys.platform == "linux":
            if _is_of_windows(watched.root):
                return "Windows does not tell of changes to its files here"
            from repo_mcp.indexing.watch.linux import listen  # noqa: PLC0415 Linux only
        else:
            from repo_mcp.indexing.watch.others import listen  # noqa: PLC0415 it may be missing
        return listen(watched, reporter)
    except ImportError:
        return "watchfiles is not installed"
    except Problem as problem:
        return problem.reason
    except Exception as error:  # noqa: BLE001 a library raises what the system says, in many types
        return " ".join(str(error).split())[:200] or type(error).__name__


def _is_of_windows(root: str) -> bool:
    """Whether a folder lies on a drive of Windows, below which this system runs."""
    if "microsoft" not in os.uname().release.lower():
        return False
    device = os.stat(root).st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    with suppress(OSError), open(_MOUNTS, encoding="utf-8", errors="replace") as mounts:
        lines = [line.split(" ") for line in mounts]
        return any(parts[2] == number and "9p" in parts for parts in lines)
    return False


if __name__ == "__main__":
    main()
