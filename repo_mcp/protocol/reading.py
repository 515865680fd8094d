"""Resources, prompts and completion: what is asked is checked, then answered by the offer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from repo_mcp.protocol.eras import CACHE, Peer, content, shown_resource
from repo_mcp.protocol.jsonrpc import INVALID_PARAMS, WireError
from repo_mcp.protocol.offer import NoResourceError, NotOfferedError, Offer

RESOURCE_NOT_FOUND: Final = -32002
_MOST_VALUES: Final = 100
_REFERENCES: Final = {"ref/prompt": "name", "ref/resource": "uri"}
# what a file holds may change at any time
_NOT_KEPT: Final = {**CACHE, "ttlMs": 0}

Fields = dict[str, Any]


class Reading:
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
