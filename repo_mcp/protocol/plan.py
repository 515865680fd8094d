"""A request with what is known of its sender, and how it is to be served."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from repo_mcp.protocol.call import Call
from repo_mcp.protocol.eras import Peer

Fields = dict[str, Any]


class Request(NamedTuple):
    """A request with what is known of its sender."""

    method: str
    params: Mapping[str, Any]
    peer: Peer
    # which connection's tasks it may list
    owner: str


class Job(NamedTuple):
    """Work for another thread; `run` gives what to answer, None for nothing."""

    call: Call
    run: Callable[[], Fields | None]
    # "call", or what may take long without anybody being answered: "task", "wait"
    kind: str = "call"


class Plan(NamedTuple):
    """How a request is served: with an answer (JSON already), with work, or with both."""

    body: str | None = None
    job: Job | None = None
