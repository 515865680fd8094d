"""Has a server that runs already answer a hook, without a module that takes long to load.

The server has loaded and opened all that an answer takes. Where none runs for the folder, or none
answers, the hook looks into the index by itself.
"""

import os

from repo_mcp.hook import endpoint

# `typing` takes as long as all of this
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# a server that takes longer is busy, or stopped
_SECONDS = 0.3
# a client gives the event at once
_INPUT_SECONDS = 1.0
_PIECE = 1 << 16
# what marks a repository for most people: a server of the folders above is of another one
_MARK = ".git"


def read_input(arguments: list[str]) -> bytes | None:
    """The event that a client gives to the hook of a command line; None for any other line.

    With settings of its own, a hook looks by itself.
    """
    hooks = [["hook", kind] for kind in endpoint.KINDS]
    if arguments not in hooks or os.name == "nt" or os.isatty(0):
        return None
    import select  # noqa: PLC0415 the system that has it

    waiting = select.poll()
    waiting.register(0, select.POLLIN)
    pieces = []
    try:
        while waiting.poll(_INPUT_SECONDS * 1000) and (piece := os.read(0, _PIECE)):
            pieces.append(piece)
    except OSError:  # there is no input
        return None
    return b"".join(pieces)


def ask_server(kind: str, event: bytes, folder: str = "") -> bytes | None:
    """The hook's output by the server of the current folder; None if none answers."""
    folder = folder or endpoint.own_folder()
    try:
        if endpoint.is_private(folder):
            request = endpoint.pack(kind, event)
            links = os.listdir(folder)
            starts = dict.fromkeys((os.getcwd(), _folder_of(event)))
            for link in dict.fromkeys(link for start in starts for link in _linked(start, links)):
                answer = _exchange(f"{folder}/{link}", request)
                if answer is not None:
                    return answer
    except OSError:  # the current folder is gone, or what is in the other one
        pass
    return None


def _folder_of(event: bytes) -> str:
    """The folder that an event names, which a few clients start no hook in; empty if in doubt.

    It tells where to ask alone: the server reads the event.
    """
    _, _, behind = event.partition(b'"cwd":')
    path = behind.lstrip()[1:].partition(b'"')[0]
    return os.fsdecode(path) if path[:1] == b"/" and b"\\" not in path else ""


def _linked(folder: str, links: list[str]) -> "Iterator[str]":
    """The links of servers of a folder, and of those around it to the first repository."""
    while folder:
        begin = endpoint.link_name(os.stat(folder), "")
        yield from (link for link in links if link.startswith(begin))
        above = os.path.dirname(folder)
        if above == folder or os.path.lexists(f"{folder}/{_MARK}"):
            return
        folder = above


def write_output(output: bytes) -> None:
    """Write what the client reads, if it still does."""
    try:
        while output:
            output = output[os.write(1, output) :]
    except OSError:
        pass


def _exchange(path: str, request: bytes) -> bytes | None:
    """The answer to a request; None where nobody listens or another way has to be taken."""
    # of the system's module, as the one above it takes longer than the answer
    from _socket import AF_UNIX, SHUT_WR, SOCK_STREAM, socket  # noqa: PLC0415 see above

    connection = socket(AF_UNIX, SOCK_STREAM)
    try:
        connection.settimeout(_SECONDS)
        connection.connect(path)
        connection.sendall(request)
        connection.shutdown(SHUT_WR)
        answer = b""
        while piece := connection.recv(_PIECE):
            answer += piece
    except OSError:
        return None
    finally:
        connection.close()
    is_answered = answer.startswith(endpoint.ANSWERED)
    return answer.removeprefix(endpoint.ANSWERED) if is_answered else None
