"""Where a hook finds a server that runs already, and what the two say to each other.

In a folder that only the user can enter, each server has a socket, and for each of its roots a link
to it that is named by the root's device and inode:

    DEVICE-INODE.SERVER -> SERVER

A hook sends one request and closes its side; the server sends one answer, or closes at once if
another way has to be taken:

    request: version NUL kind NUL event
    answer:  "+" output

A hook loads this before anything else, so it imports nothing that Python has not at its start.
"""

import os
import stat

from repo_mcp import __version__

# the events that clients have hooks for
PROMPT = "prompt"
KINDS = (PROMPT, "search")
ANSWERED = b"+"
_SEPARATOR = b"\0"
_LINK = "."


def own_folder() -> str:
    """The folder of this user's sockets.

    It follows from no variable, as clients hand other ones to servers than to hooks.
    """
    return f"/tmp/repo-mcp-{os.geteuid()}"  # noqa: S108 `is_private` says whether it is trusted


def is_private(folder: str) -> bool:
    """True for a folder of this user that nobody else can enter: what listens in it is theirs."""
    try:
        state = os.lstat(folder)
    except OSError:
        return False
    mine = stat.S_ISDIR(state.st_mode) and state.st_uid == os.geteuid()
    return mine and not state.st_mode & (stat.S_IRWXG | stat.S_IRWXO)


def link_name(root: os.stat_result, server: str) -> str:
    """The name of the link that leads from a root to a server."""
    return f"{root.st_dev:x}-{root.st_ino:x}{_LINK}{server}"


def begun_name(server: str) -> str:
    """The name of a socket until it listens: `server_of` takes it for no socket by then."""
    return f"{_LINK}{server}"


def server_of(link: str) -> str:
    """The server that a link leads to; empty for what is no link."""
    return link.rpartition(_LINK)[2] if _LINK in link else ""


def pack(kind: str, event: bytes) -> bytes:
    """A request of a hook."""
    return _SEPARATOR.join((__version__.encode(), kind.encode(), event))


def unpack(request: bytes) -> tuple[str, bytes] | None:
    """Kind and event of a request; None for one of another version."""
    version, _, rest = request.partition(_SEPARATOR)
    kind, _, event = rest.partition(_SEPARATOR)
    asked = next((known for known in KINDS if known.encode() == kind), "")
    return (asked, event) if asked and version == __version__.encode() else None
