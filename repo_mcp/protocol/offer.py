"""The interface that the protocol expects of a server: tools, resources, prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from index_format.annotations import Any, Protocol
from index_format.tuples import NamedTuple

Fields = dict[str, Any]


class NotOfferedError(Exception):
    """An unknown prompt, or an unknown or invalid argument; the message says which."""


class NoResourceError(Exception):
    """No resource has this URI, or it is denied: the answer doesn't disclose which."""


class UnavailableError(Exception):
    """The repository can't be read at the moment; the message says why and what to do."""


class Values(NamedTuple):
    """Completions of an argument, and their total number if known."""

    values: Sequence[str] = ()
    total: int | None = None
    more: bool = False


class Caller(Protocol):
    """The call as a tool sees it: cancellation, progress, log and sampling."""

    @property
    def client(self) -> str:
        """The client's name and version; empty if unknown."""
        ...

    @property
    def token(self) -> str:
        """The name of the token that the client has shown; empty where there is one for all."""
        ...

    @property
    def reads_structured(self) -> bool:
        """True if the protocol version of the call has structured results."""
        ...

    @property
    def has_silent_roots(self) -> bool:
        """True if the client has folders open, and does not say when these change."""
        ...

    @property
    def is_task(self) -> bool:
        """True if the client asked for a task, for which it waits as long as it takes."""
        ...

    def is_cancelled(self) -> bool:
        """True if the call was cancelled."""
        ...

    def progress(self, done: int, total: int, what: str) -> None:
        """Report progress: the amount done, the total (0 if unknown), and what is counted."""
        ...

    def log(self, level: str, text: str) -> None:
        """Send a line to the client's log, if its level is high enough."""
        ...

    def sample(self, prompt: str, tokens: int) -> str | None:
        """The answer of the client's model; None without a model, and after a timeout."""
        ...

    def list_roots(self) -> Sequence[Fields]:
        """The folders that the client has open, as it tells them; none if it tells nothing."""
        ...


class Offer(Protocol):
    """Tools, resources and prompts, declared for the newest protocol version."""

    @property
    def info(self) -> Mapping[str, Any]:
        """Name, title and version of the server."""
        ...

    @property
    def instructions(self) -> str:
        """Instructions for models."""
        ...

    def tools(self) -> Sequence[Fields]:
        """Declarations in the order of the listing."""
        ...

    def begin(self) -> None:
        """A client is there: prepare for its first call; doesn't wait."""
        ...

    def roots_changed(self) -> None:
        """The client has other folders open from now on."""
        ...

    def has_tool(self, name: str) -> bool:
        """True if there is a tool of this name, in any accepted spelling."""
        ...

    def run_tool(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Fields:
        """Run a tool; errors are results, too."""
        ...

    def resources(self) -> Sequence[Fields]:
        """Resources to list; others are reached by a template."""
        ...

    def templates(self) -> Sequence[Fields]:
        """Resource templates."""
        ...

    def read(self, uri: str) -> Sequence[Fields]:
        """The contents of a resource."""
        ...

    def skills(self) -> Sequence[Fields]:
        """Entries of skills, each with the address of a resource that `read` knows."""
        ...

    def prompts(self) -> Sequence[Fields]:
        """Declarations of prompts."""
        ...

    def prompt(self, name: str, arguments: Mapping[str, Any]) -> Fields:
        """A prompt's messages."""
        ...

    def complete(self, reference: Mapping[str, Any], argument: str, begun: str) -> Values:
        """Completions of an argument of a prompt or template."""
        ...
