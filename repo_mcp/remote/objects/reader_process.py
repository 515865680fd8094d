"""The process that reads a remote place for its parent, in memory that the system limits.

obstore holds whole what it expects to be small: the text of a refusal, a page of a list. A place
that sends gigabytes there ends this process, and costs its parent one request.

The first message has the address and how often a request is repeated; each one after it is a
request: its number, a method of `ObjectReader`, and arguments. An answer is that number, a value,
and code and detail of a `Problem` where there is one. The answer to the opening has the number 0.
"""

from __future__ import annotations

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from repo_mcp.errors import Problem
from repo_mcp.processes.child_process import ParentPipe
from repo_mcp.remote.objects.contract import ObjectReader
from repo_mcp.remote.objects.object_store import open_store

# several times what the requests of one pull take
_MOST_BYTES: Final = 224 << 20
_REQUESTS: Final = 16
_STACK_BYTES: Final = 1 << 20


def main() -> None:
    """Answer requests until the parent is gone."""
    _limit_memory()
    pipe = ParentPipe()
    # output of the library without memory says nothing to the user
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    url, retries = pipe.receive()
    try:
        store = open_store(url, retries=retries)
    except Problem as problem:
        pipe.send([0, None, [problem.code, problem.detail]])
        return
    pipe.send([0, store.lists, None])
    guard = threading.Lock()

    def answer(number: int, method: str, arguments: list[object]) -> None:
        reply = _reply(store, method, arguments)
        with guard:
            pipe.send([number, *reply])

    with ThreadPoolExecutor(_REQUESTS) as pool:
        while True:
            number, method, *arguments = pipe.receive()
            pool.submit(answer, number, method, arguments)


def _reply(store: ObjectReader, method: str, arguments: list[object]) -> list[object]:
    try:
        found = getattr(store, method)(*arguments)
        return [list(found) if method == "rows" else found, None]
    except Problem as problem:
        return [None, [problem.code, problem.detail]]
    except Exception as error:  # noqa: BLE001 each request has an answer
        return [None, ["store_unavailable", type(error).__name__]]


def _limit_memory() -> None:
    """Let the system refuse more memory, where it can; a process that ends so leaves no dump."""
    threading.stack_size(_STACK_BYTES)
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 not there on Windows

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (_MOST_BYTES, _MOST_BYTES))
