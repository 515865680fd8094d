"""What a request is answered with, whatever way it came: the methods of both eras.

A `Plan` is an answer at once, or work for another thread. What is quick never touches a disk.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from repo_mcp.protocol.call import Job, Line, Plan, Request
from repo_mcp.protocol.eras import (
    CACHE,
    REQUEST_VERSIONS,
    Peer,
    capabilities,
    completed,
    content,
    handshake_version,
    known_fields,
    shown_resource,
)
from repo_mcp.protocol.jsonrpc import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    Message,
    WireError,
    dumps,
)
from repo_mcp.protocol.offer import NoResourceError, NotOfferedError, Offer
from repo_mcp.protocol.seal import Seal
from repo_mcp.protocol.tasks import TaskMethods, Tasks
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
        reading = ReadMethods(offer)
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


class Listings:
    """All of a kind in one page: some clients read only the first."""

    def __init__(self, offer: Offer) -> None:
        """Nothing is written yet."""
        self._offer = offer
        self._made: dict[tuple[str, str], str] = {}
        self._lock = threading.Lock()
        self._sources: dict[str, Callable[[], Sequence[Fields]]] = {
            "tools": offer.tools,
            "prompts": offer.prompts,
            "resourceTemplates": offer.templates,
        }

    def body(self, kind: str, peer: Peer) -> str:
        """The whole result as JSON."""
        key = kind, peer.version
        with self._lock:
            if key not in self._made:
                self._made[key] = self._written(kind, peer)
            return self._made[key]

    def _written(self, kind: str, peer: Peer) -> str:
        listed = [declared(peer.version, record) for record in self._sources[kind]()]
        found = {kind: listed, **(CACHE if peer.modern else {})}
        return dumps(completed(peer, found, self._offer.info))


def declared(version: str, record: Fields) -> Fields:
    """A declaration as a version has it, arguments of prompts included."""
    found = known_fields(version, record)
    if "arguments" in found:
        found["arguments"] = [known_fields(version, argument) for argument in found["arguments"]]
    return found


RESOURCE_NOT_FOUND: Final = -32002
_MOST_VALUES: Final = 100
_REFERENCES: Final = {"ref/prompt": "name", "ref/resource": "uri"}
# what a file holds may change at any time
_NOT_KEPT: Final = {**CACHE, "ttlMs": 0}


class ReadMethods:
    """Methods that may read files, and so run on a thread of their own."""

    def __init__(self, offer: Offer) -> None:
        """Take what is offered."""
        self._offer = offer

    def resources(self, peer: Peer, params: Mapping[str, Any]) -> Fields:
        """All resources that are listed, in one page."""
        if params.get("cursor") is not None:
            raise WireError(INVALID_PARAMS, "there is one page only: no cursor is valid")
        listed = [shown_resource(peer.version, item) for item in self._offer.resources()]
        return {"resources": listed, **(_NOT_KEPT if peer.modern else {})}

    def read(self, peer: Peer, params: Mapping[str, Any]) -> Fields:
        """Content of a resource; what may not be shown is answered like what is not there."""
        uri = _text(params, "uri")
        try:
            found = self._offer.read(uri)
        except NoResourceError:
            code = INVALID_PARAMS if peer.modern else RESOURCE_NOT_FOUND
            raise WireError(code, "there is no such resource", data={"uri": uri[:1000]}) from None
        return {"contents": list(found), **(_NOT_KEPT if peer.modern else {})}

    def prompt(self, peer: Peer, params: Mapping[str, Any]) -> Fields:
        """The messages of a prompt."""
        name, arguments = _text(params, "name"), params.get("arguments")
        if arguments is not None and not isinstance(arguments, dict):
            raise WireError(INVALID_PARAMS, "arguments is not an object")
        try:
            found = self._offer.prompt(name, arguments or {})
        except NotOfferedError as problem:
            raise WireError(INVALID_PARAMS, str(problem)) from None
        messages = [
            {**message, "content": content(peer.version, [message["content"]])[0]}
            for message in found["messages"]
        ]
        return {**found, "messages": messages}

    def complete(self, _: Peer, params: Mapping[str, Any]) -> Fields:
        """Proposals for an argument."""
        reference, argument = params.get("ref"), params.get("argument")
        if not isinstance(reference, dict) or reference.get("type") not in _REFERENCES:
            raise WireError(INVALID_PARAMS, f"ref.type is one of {', '.join(_REFERENCES)}")
        _text(reference, _REFERENCES[reference["type"]])
        if not isinstance(argument, dict):
            raise WireError(INVALID_PARAMS, "argument is not an object")
        name, begun = _text(argument, "name"), _text(argument, "value")
        try:
            found = self._offer.complete(reference, name, begun)
        except NotOfferedError as problem:
            raise WireError(INVALID_PARAMS, str(problem)) from None
        values = list(found.values[:_MOST_VALUES])
        proposed: Fields = {
            "values": values,
            "hasMore": found.more or len(values) < len(found.values),
        }
        if found.total is not None:
            proposed["total"] = found.total
        return {"completion": proposed}


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise WireError(INVALID_PARAMS, f"{name} is not a string")
    return value
