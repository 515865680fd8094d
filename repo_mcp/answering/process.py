"""A process that runs the tools of servers whose connections another process has.

Each message is about one call: the parent runs and cancels it and brings what the client's model
says; here it ends, tells its progress, and asks that model. Arguments and results are JSON, as they
may have what msgpack has not: any integer, and half of a surrogate pair.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any, Final, NoReturn

from repo_mcp.allocator import share_arena
from repo_mcp.app import App
from repo_mcp.console import log_place
from repo_mcp.processes.child_process import ParentPipe
from repo_mcp.protocol.call import MIN_INTERVAL
from repo_mcp.settings import Options

Fields = dict[str, Any]
# the calls that run at a time; the parent, which has such threads for all processes, spreads them
_THREADS: Final = 16


def main() -> NoReturn:
    """Run what the pipe brings, until the parent is gone."""
    parent = ParentPipe()
    first = parent.receive()
    # relative paths of settings are of the folder in which the server was started
    os.chdir(first["folder"])
    sys.setswitchinterval(first["switch_interval"])
    share_arena()
    calls = CallRunner(parent, links_ahead=first["links_ahead"])
    while True:
        calls.take(parent.receive())


class CallRunner:
    """Runs calls of the servers that the parent names by numbers, each opened when it is needed."""

    def __init__(self, parent: ParentPipe, *, links_ahead: bool) -> None:
        self._parent = parent
        self._links_ahead = links_ahead
        self._sending = threading.Lock()
        self._threads = ThreadPoolExecutor(_THREADS, "call")
        self._apps: dict[int, App] = {}
        self._calls: dict[int, ForwardedCall] = {}

    def take(self, message: Mapping[str, Any]) -> None:
        """Do what a message says; doesn't wait."""
        kind = message["kind"]
        if kind == "open":
            options: Options = pickle.loads(message["options"])  # noqa: S301 the parent wrote it
            self._apps[message["app"]] = App(options, links_ahead=self._links_ahead)
        elif kind == "begin":
            self._apps[message["app"]].begin()
        elif kind == "run":
            call = ForwardedCall(self, message["call"], message["caller"])
            self._calls[call.number] = call
            self._threads.submit(self._run, self._apps[message["app"]], call, message)
        elif running := self._calls.get(message["call"]):  # else it has ended meanwhile
            running.take(kind, message)

    def send(self, kind: str, call: int, **fields: object) -> None:
        """Tell the parent about a call."""
        with self._sending:
            self._parent.send({"kind": kind, "call": call, **fields})

    def _run(self, app: App, call: ForwardedCall, message: Mapping[str, Any]) -> None:
        try:
            arguments = json.loads(message["arguments"])
            result = json.dumps(app.run_tool(message["tool"], arguments, call))
        except Exception as error:  # noqa: BLE001 it is logged, and the parent is told
            log_place(error)
            self.send("failed", call.number)
        else:
            self.send("done", call.number, result=result)
        finally:
            del self._calls[call.number]


class ForwardedCall:
    """A call of a client that another process talks to: a `Caller`."""

    has_silent_roots = False

    def __init__(self, runner: CallRunner, number: int, caller: Mapping[str, Any]) -> None:
        self.number = number
        self.client: str = caller["client"]
        self.token: str = caller["token"]
        self.reads_structured: bool = caller["reads_structured"]
        self.is_task: bool = caller["is_task"]
        self._runner = runner
        self._cancelled = threading.Event()
        self._answers: SimpleQueue[str | None] = SimpleQueue()
        self._reported = 0.0

    def take(self, kind: str, message: Mapping[str, Any]) -> None:
        """A message about the call: it is cancelled, or the client's model has answered."""
        if kind == "cancel":
            self._cancelled.set()
        self._answers.put(message.get("text"))

    def is_cancelled(self) -> bool:
        """True if the call was cancelled."""
        return self._cancelled.is_set()

    def progress(self, done: int, total: int, what: str) -> None:
        """Report progress, unless that was done just before."""
        now = time.monotonic()
        if now - self._reported >= MIN_INTERVAL:
            self._reported = now
            self._runner.send("progress", self.number, done=done, total=total, what=what)

    def log(self, level: str, text: str) -> None:
        """Send a line to the client's log."""
        self._runner.send("log", self.number, level=level, text=text)

    def sample(self, prompt: str, tokens: int) -> str | None:
        """The answer of the client's model; None without one."""
        if self.is_cancelled():
            return None
        self._runner.send("sample", self.number, prompt=prompt, tokens=tokens)
        return self._answers.get()

    def list_roots(self) -> Sequence[Fields]:
        """None: over HTTP, clients are not asked for their folders."""
        return ()
