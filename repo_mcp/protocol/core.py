"""What a request is answered with, whatever way it came: the methods of both eras.

A `Plan` is an answer at once, or work for another thread. What is quick never touches a disk.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from repo_mcp.protocol.call import Line
from repo_mcp.protocol.eras import (
    CACHE,
    REQUEST_VERSIONS,
    Peer,
    capabilities,
    completed,
    handshake_version,
    known_fields,
)
from repo_mcp.protocol.jsonrpc import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    Message,
    WireError,
    dumps,
)
from repo_mcp.protocol.listings import Listings
from repo_mcp.protocol.offer import Offer
from repo_mcp.protocol.plan import Job, Plan, Request
from repo_mcp.protocol.reading import Reading
from repo_mcp.protocol.seal import Seal
from repo_mcp.protocol.task_methods import TaskMethods
from repo_mcp.protocol.tasks import Tasks
from repo_mcp.protocol.tool_calls import ToolCalls

Fields = dict[str, Any]
Quick = Callable[[Request], str]


class Core:
    """One server, for any number of connections."""

    def __init__(
        self,
        offer: Offer,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        """Take what is offered; nothing of it is asked for yet."""
        self._offer = offer
        self.tasks = Tasks(wall)
        self._listings = Listings(offer)
        self._tasks = TaskMethods(self.tasks, self._finished)
        self._calls = ToolCalls(offer, self._tasks, Seal(wall), clock, self._finished)
        self.promote = self._calls.promote
        reading = Reading(offer)
        self._quick: dict[str, Quick] = {
            "server/discover": self._discover,
            "tools/list": lambda asked: self._listed("tools", asked),
            "prompts/list": lambda asked: self._listed("prompts", asked),
            "resources/templates/list": lambda asked: self._listed("resourceTemplates", asked),
        }
        self._of_handshake: dict[str, Quick] = {
            "initialize": self._initialize,
            "ping": lambda _: "{}",
            "logging/setLevel": lambda _: "{}",
        }
        self._slow: dict[str, Callable[[Peer, Mapping[str, Any]], Fields]] = {
            "resources/list": reading.resources,
            "resources/read": reading.read,
            "prompts/get": reading.prompt,
            "completion/complete": reading.complete,
        }

    def plan(self, message: Message, peer: Peer, line: Line, owner: str = "") -> Plan:
        """How to serve a request; `WireError` where it can't be."""
        asked = Request(message.method, message.params, peer, owner)
        if message.method == "tools/call":
            return self._calls.plan(asked, line)
        quick = self._quick.get(message.method)
        if quick is None and not peer.modern:
            quick = self._of_handshake.get(message.method)
        if quick is not None:
            return Plan(quick(asked))
        if message.method in self._slow:
            return self._slowly(asked, line)
        if message.method.startswith("tasks/"):
            return self._of_tasks(asked, line)
        shown = repr(message.method[:100])
        raise WireError(METHOD_NOT_FOUND, f"unknown method {shown} in version {peer.version}")

    def _finished(self, peer: Peer, result: Fields) -> Fields:
        return completed(peer, result, self._offer.info)

    def _initialize(self, asked: Request) -> str:
        wanted = asked.params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise WireError(INVALID_PARAMS, "protocolVersion is not a string")
        version = handshake_version(wanted)
        return dumps(
            {
                "protocolVersion": version,
                "capabilities": capabilities(version),
                "serverInfo": known_fields(version, self._offer.info),
                "instructions": self._offer.instructions,
            }
        )

    def _discover(self, asked: Request) -> str:
        version = REQUEST_VERSIONS[-1]
        found = {
            "supportedVersions": list(REQUEST_VERSIONS),
            "capabilities": capabilities(version),
            "instructions": self._offer.instructions,
            **CACHE,
        }
        return dumps(self._finished(asked.peer._replace(version=version), found))

    def _listed(self, kind: str, asked: Request) -> str:
        if asked.params.get("cursor") is not None:
            raise WireError(INVALID_PARAMS, "there is one page only: no cursor is valid")
        return self._listings.body(kind, asked.peer)

    def _slowly(self, asked: Request, line: Line) -> Plan:
        call = self._calls.new_call(asked, line)
        work = self._slow[asked.method]

        def run() -> Fields:
            return self._finished(asked.peer, work(asked.peer, asked.params))

        return Plan(job=Job(call, run))

    def _of_tasks(self, asked: Request, line: Line) -> Plan:
        if asked.method == "tasks/result" and not asked.peer.modern:
            task = self._tasks.named(asked.peer, asked.params, asked.owner)
            call = self._calls.new_call(asked, line)
            return Plan(job=Job(call, lambda: self._tasks.result(task, call), "wait"))
        return Plan(dumps(self._tasks.answer(asked.method, asked.peer, asked.params, asked.owner)))
