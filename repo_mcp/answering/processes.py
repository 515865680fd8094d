"""Has calls answered in processes, each as a server of its own on the same index files.

A process is started when all others are busy, up to a number. Any of them may answer any call:
cursors hold all that a next page needs, and what changes is published in the data folder.
"""

from __future__ import annotations

import json
import pickle
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Final

from repo_mcp.app import App
from repo_mcp.budget import Clock
from repo_mcp.processes.pool import usual_workers
from repo_mcp.processes.start import Process, command_of
from repo_mcp.protocol.core import Core
from repo_mcp.protocol.offer import Caller
from repo_mcp.settings import Options

Fields = dict[str, Any]
_MODULE: Final = "repo_mcp.answering.process"
# seconds between two looks whether a call was cancelled
_POLL: Final = 0.05


class CallLostError(Exception):
    """A process has ended while it answered a call, or the call has failed there."""


def processes_for(options: Options) -> AnsweringProcesses | None:
    """The processes that answer over HTTP; None where the server does so itself.

    Without a setting there is one for each processor where there are several users.
    """
    count = options.http_processes or (usual_workers() if options.http_tokens else 1)
    return AnsweringProcesses(count) if count > 1 else None


class AnsweringProcesses:
    """Processes that answer calls of any number of servers; thread-safe."""

    def __init__(self, most: int) -> None:
        """Start up to `most` processes when they are needed."""
        self._most = most
        self._folder = Path.cwd()
        self._lock = threading.Lock()
        self._options: list[bytes] = []
        self._processes: list[AnsweringProcess] = []

    def add(self, options: Options) -> int:
        """A number for the server of these options."""
        with self._lock:
            self._options.append(pickle.dumps(options))
            return len(self._options) - 1

    def begin(self, app: int) -> None:
        """Have a server prepare its index in the first process; doesn't wait."""
        process = self._take(preparing=True)
        try:
            with suppress(OSError):  # the first call starts another
                process.open(app, self._options[app])
                process.send("begin", app=app)
        finally:
            self._free(process)

    def run(self, app: int, tool: str, arguments: Mapping[str, Any], caller: Caller) -> Fields:
        """Run a tool of a server; raises `CallLostError` if its process ends before it."""
        process = self._take()
        try:
            process.open(app, self._options[app])
            return process.run(app, tool, arguments, caller)
        except OSError as error:
            raise CallLostError from error
        finally:
            self._free(process)

    def close(self) -> None:
        """End all processes, and the calls that they answer."""
        with self._lock:
            processes, self._processes = self._processes, []
        for process in processes:
            process.kill()

    def _take(self, *, preparing: bool = False) -> AnsweringProcess:
        """The process that has the fewest calls, or a new one while all have some."""
        with self._lock:
            self._processes = [process for process in self._processes if process.is_alive]
            fewest = min(self._processes, key=lambda item: item.calls, default=None)
            if preparing and self._processes:
                process = self._processes[0]
            elif fewest and (not fewest.calls or len(self._processes) == self._most):
                process = fewest
            else:
                # one alone links what nobody has asked for yet
                process = AnsweringProcess(self._folder, links_ahead=not self._processes)
                self._processes.append(process)
            process.calls += 1
            return process

    def _free(self, process: AnsweringProcess) -> None:
        with self._lock:
            process.calls -= 1


class AnsweringProcess:
    """A process, and the calls that it answers."""

    def __init__(self, folder: Path, *, links_ahead: bool) -> None:
        """Start it; it opens no index yet."""
        # counted by those who choose among processes
        self.calls = 0
        self.is_alive = True
        self._lock = threading.Lock()
        self._apps: set[int] = set()
        self._running: dict[int, SimpleQueue[Fields | None]] = {}
        self._number = 0
        first = {
            "folder": str(folder),
            "switch_interval": sys.getswitchinterval(),
            "links_ahead": links_ahead,
        }
        self._process = Process(command_of(_MODULE), {}, first)
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, kind: str, **fields: object) -> None:
        """Send a message; raises `OSError` when the process is gone."""
        with self._lock:
            self._send({"kind": kind, **fields})

    def open(self, app: int, options: bytes) -> None:
        """Tell it of a server, once."""
        with self._lock:
            if app not in self._apps:
                self._send({"kind": "open", "app": app, "options": options})
                self._apps.add(app)

    def run(self, app: int, tool: str, arguments: Mapping[str, Any], caller: Caller) -> Fields:
        """The result of a tool."""
        told: SimpleQueue[Fields | None] = SimpleQueue()
        with self._lock:
            self._number += 1
            number = self._number
            self._running[number] = told
        try:
            self.send(
                "run",
                app=app,
                call=number,
                tool=tool,
                arguments=json.dumps(arguments),
                caller={
                    "client": caller.client,
                    "token": caller.token,
                    "reads_structured": caller.reads_structured,
                    "is_task": caller.is_task,
                },
            )
            return self._follow(number, told, caller)
        finally:
            with self._lock:
                del self._running[number]

    def _send(self, message: Fields) -> None:
        if not self.is_alive:  # the numbers of its pipe may be those of other files by now
            raise BrokenPipeError
        self._process.pipe.send(message)

    def kill(self) -> None:
        """End it; calls that it answers fail."""
        self._process.kill()

    def _follow(self, number: int, told: SimpleQueue[Fields | None], caller: Caller) -> Fields:
        """The result of a call that has begun, and meanwhile what is told of it."""
        is_cancelled = False
        while True:
            try:
                message = told.get(timeout=_POLL)
            except Empty:
                if caller.is_cancelled() and not is_cancelled:
                    is_cancelled = True
                    self.send("cancel", call=number)
                continue
            if message is None or message["kind"] == "failed":
                raise CallLostError
            if message["kind"] == "done":
                result: Fields = json.loads(message["result"])
                return result
            try:
                self._tell(number, message, caller)
            except BaseException:
                # some clients' models are asked by an answer, and the call is made again with
                # what these say
                self.send("cancel", call=number)
                raise

    def _tell(self, number: int, message: Fields, caller: Caller) -> None:
        if message["kind"] == "progress":
            caller.progress(message["done"], message["total"], message["what"])
        elif message["kind"] == "log":
            caller.log(message["level"], message["text"])
        else:
            text = caller.sample(message["prompt"], message["tokens"])
            self.send("sampled", call=number, text=text)

    def _read(self) -> None:
        """Hand on what the process tells, until it ends."""
        with suppress(EOFError, OSError):
            while True:
                message = self._process.pipe.receive()
                with self._lock:
                    told = self._running.get(message["call"])
                if told is not None:
                    told.put(message)
        with self._lock:
            self.is_alive = False
            waiting = [*self._running.values()]
            self._process.end()
        for told in waiting:
            told.put(None)


def core_of(options: Options, clock: Clock, processes: AnsweringProcesses | None) -> Core:
    """The core of one repository, which answers calls itself if there are no processes."""
    if processes is None:
        return Core(App(options, clock))
    return Core(ParallelApp(options, clock, processes))


class ParallelApp(App):
    """The server of one repository whose calls are answered in processes."""

    def __init__(self, options: Options, clock: Clock, processes: AnsweringProcesses) -> None:
        """Select the tools to serve; starts no process yet."""
        super().__init__(options, clock)
        self._processes = processes
        self._number = processes.add(self._roots.options)

    def begin(self) -> None:
        """Have the index brought up to date before the first call."""
        if self.has_repository and not self._begun:
            self._begun = True
            self._processes.begin(self._number)

    def run_tool(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Fields:
        """Run a tool for a client, in a process that has time."""
        return self._processes.run(self._number, name, arguments, caller)
