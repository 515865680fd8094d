"""The methods of MCP in both protocol eras: plans how to answer each request.

A `Plan` is an immediate answer, or work for another thread. Immediate answers never read a disk.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence

from index_format.annotations import Any, Final
from repo_mcp.protocol.call import Channel, Plan, Request, ThreadJob
from repo_mcp.protocol.deprecated import SET_LEVEL
from repo_mcp.protocol.eras import (
    CACHE,
    REQUEST_VERSIONS,
    Peer,
    capabilities,
    complete_result,
    content,
    handshake_version,
    known_fields,
    resource_fields,
)
from repo_mcp.protocol.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    JsonRpcRequest,
    WireError,
    dumps,
)
from repo_mcp.protocol.offer import NoResourceError, NotOfferedError, Offer, UnavailableError
from repo_mcp.protocol.seal import Seal
from repo_mcp.protocol.tasks import TaskMethods, Tasks
from repo_mcp.protocol.tool_calls import ToolCalls

Fields = dict[str, Any]
Quick = Callable[[Request], str]


class Core:
    """The server behind any number of connections."""

    def __init__(
        self,
        offer: Offer,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._offer = offer
        self.tasks = Tasks(wall)
        self._listings = Listings(offer)
        self._tasks = TaskMethods(self.tasks, self._complete)
        self._calls = ToolCalls(offer, self._tasks, Seal(wall), clock, self._complete)
        self.promote = self._calls.promote
        self.roots_changed = offer.roots_changed
        methods = ReadMethods(offer)
        self._quick: dict[str, Quick] = {
            "server/discover": self._discover,
            "tools/list": lambda request: self._list("tools", request),
            "prompts/list": lambda request: self._list("prompts", request),
            "resources/templates/list": lambda request: self._list("resourceTemplates", request),
        }
        self._handshake_methods: dict[str, Quick] = {
            "initialize": self._initialize,
            "ping": lambda _: "{}",
            SET_LEVEL: lambda _: "{}",
        }
        self._slow: dict[str, Callable[[Peer, Mapping[str, Any]], Fields]] = {
            "resources/list": methods.resources,
            "resources/read": methods.read,
            "skills/list": methods.skills,
            "skills/get": methods.skill,
            "prompts/get": methods.prompt,
            "completion/complete": methods.complete,
        }

    def plan(self, message: JsonRpcRequest, peer: Peer, channel: Channel, owner: str = "") -> Plan:
        """Plan how to serve a request; raises `WireError` if it can't be served."""
        request = Request(message.method, message.params, peer, owner)
        if message.method == "tools/call":
            return self._calls.plan(request, channel)
        quick = self._quick.get(message.method)
        if quick is None and not peer.modern:
            quick = self._handshake_methods.get(message.method)
        if quick is not None:
            return Plan(quick(request))
        if message.method in self._slow:
            return self._plan_slow(request, channel)
        if message.method.startswith("tasks/"):
            return self._plan_task_method(request, channel)
        shown = repr(message.method[:100])
        raise WireError(METHOD_NOT_FOUND, f"unknown method {shown} in version {peer.version}")

    def _complete(self, peer: Peer, result: Fields) -> Fields:
        return complete_result(peer, result, self._offer.info)

    def _initialize(self, request: Request) -> str:
        requested = request.params.get("protocolVersion")
        if not isinstance(requested, str):
            raise WireError(INVALID_PARAMS, "protocolVersion is not a string")
        version = handshake_version(requested)
        self._offer.begin()
        return dumps(
            {
                "protocolVersion": version,
                "capabilities": capabilities(version),
                "serverInfo": known_fields(version, self._offer.info),
                "instructions": self._offer.instructions,
            }
        )

    def _discover(self, request: Request) -> str:
        version = REQUEST_VERSIONS[-1]
        self._offer.begin()
        found = {
            "supportedVersions": list(REQUEST_VERSIONS),
            "capabilities": capabilities(version),
            "instructions": self._offer.instructions,
            **CACHE,
        }
        return dumps(self._complete(request.peer._replace(version=version), found))

    def _list(self, kind: str, request: Request) -> str:
        _refuse_cursor(request.params)
        return self._listings.body(kind, request.peer)

    def _plan_slow(self, request: Request, channel: Channel) -> Plan:
        call = self._calls.new_call(request, channel)
        work = self._slow[request.method]

        def run() -> Fields:
            try:
                found = work(request.peer, request.params)
            except UnavailableError as problem:
                raise WireError(INTERNAL_ERROR, str(problem)) from None
            return self._complete(request.peer, found)

        return Plan(job=ThreadJob(call, run))

    def _plan_task_method(self, request: Request, channel: Channel) -> Plan:
        if request.method == "tasks/result" and not request.peer.modern:
            task = self._tasks.find(request.peer, request.params, request.owner)
            call = self._calls.new_call(request, channel)
            return Plan(job=ThreadJob(call, lambda: self._tasks.result(task, call), "wait"))
        return Plan(
            dumps(self._tasks.answer(request.method, request.peer, request.params, request.owner))
        )


class Listings:
    """Cached listings of one page each: some clients read only the first page."""

    def __init__(self, offer: Offer) -> None:
        self._offer = offer
        self._bodies: dict[tuple[str, str], str] = {}
        self._lock = threading.Lock()
        self._sources: dict[str, Callable[[], Sequence[Fields]]] = {
            "tools": offer.tools,
            "prompts": offer.prompts,
            "resourceTemplates": offer.templates,
        }

    def body(self, kind: str, peer: Peer) -> str:
        """The result of a listing as JSON."""
        key = kind, peer.version
        with self._lock:
            if key not in self._bodies:
                self._bodies[key] = self._write(kind, peer)
            return self._bodies[key]

    def _write(self, kind: str, peer: Peer) -> str:
        listed = [declaration_for(peer.version, record) for record in self._sources[kind]()]
        found = {kind: listed, **(CACHE if peer.modern else {})}
        return dumps(complete_result(peer, found, self._offer.info))


def declaration_for(version: str, record: Fields) -> Fields:
    """A declaration with the fields of a protocol version, also in a prompt's arguments."""
    found = known_fields(version, record)
    if "arguments" in found:
        found["arguments"] = [known_fields(version, argument) for argument in found["arguments"]]
    return found


RESOURCE_NOT_FOUND: Final = -32002
_MOST_VALUES: Final = 100
_REFERENCES: Final = {"ref/prompt": "name", "ref/resource": "uri"}
# content of files may change at any time
_NO_CACHE: Final = {**CACHE, "ttlMs": 0}


class ReadMethods:
    """Methods that may read files and therefore run on another thread."""

    def __init__(self, offer: Offer) -> None:
        self._offer = offer

    def resources(self, peer: Peer, params: Mapping[str, Any]) -> Fields:
        """All listed resources in one page."""
        _refuse_cursor(params)
        listed = [resource_fields(peer.version, item) for item in self._offer.resources()]
        return {"resources": listed, **(_NO_CACHE if peer.modern else {})}

    def skills(self, peer: Peer, params: Mapping[str, Any]) -> Fields:
        """The entries of all skills in one page."""
        _refuse_cursor(params)
        return {"skills": list(self._offer.skills()), **(CACHE if peer.modern else {})}

    def skill(self, peer: Peer, params: Mapping[str, Any]) -> Fields:
        """The entry of the skill whose file has this address."""
        uri = _text(params, "uri")
        for entry in self._offer.skills():
            if entry["uri"] == uri:
                return {"skill": entry, **(CACHE if peer.modern else {})}
        raise WireError(INVALID_PARAMS, "unknown skill", data={"uri": uri[:1000]})

    def read(self, peer: Peer, params: Mapping[str, Any]) -> Fields:
        """The contents of a resource; a denied one is reported as missing."""
        uri = _text(params, "uri")
        try:
            found = self._offer.read(uri)
        except NoResourceError:
            code = INVALID_PARAMS if peer.modern else RESOURCE_NOT_FOUND
            raise WireError(code, "unknown resource", data={"uri": uri[:1000]}) from None
        return {"contents": list(found), **(_NO_CACHE if peer.modern else {})}

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
        """Completions of an argument."""
        reference, argument = params.get("ref"), params.get("argument")
        if not isinstance(reference, dict) or reference.get("type") not in _REFERENCES:
            raise WireError(INVALID_PARAMS, f"ref.type must be one of {', '.join(_REFERENCES)}")
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


def _refuse_cursor(params: Mapping[str, Any]) -> None:
    if params.get("cursor") is not None:
        raise WireError(INVALID_PARAMS, "there is only one page: no cursor is valid")


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise WireError(INVALID_PARAMS, f"{name} is not a string")
    return value
