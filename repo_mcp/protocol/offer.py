"""The interface between the protocol and what a server offers: tools, resources, prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

Fields = dict[str, Any]


class NotOfferedError(Exception):
    """A prompt or argument that is not there, or not as it must be; the text says which."""


class NoResourceError(Exception):
    """No resource has this address, or it may not be shown: the answer doesn't tell which."""


class Values(NamedTuple):
    """Proposals for an argument, and how many there are in all where that is known."""

    values: Sequence[str] = ()
    total: int | None = None
    more: bool = False


class Caller(Protocol):
    """The call as a tool sees it: whether it is still wanted, and ways to its client."""

    @property
    def client(self) -> str:
        """The client's name and version, empty where it didn't say."""
        ...

    def is_cancelled(self) -> bool:
        """Whether nobody waits for the answer any more."""
        ...

    def progress(self, done: int, total: int, what: str) -> None:
        """Tell how much is done, of how much (0 where that is not known), and of what."""
        ...

    def log(self, level: str, text: str) -> None:
        """Send a line to the client's log, if it wants to see lines of this level."""
        ...

    def sample(self, prompt: str, tokens: int) -> str | None:
        """The answer of the client's model; None where it has none or gives none in time."""
        ...


class Offer(Protocol):
    """Tools, resources and prompts; everything is declared as the newest version has it."""

    @property
    def info(self) -> Mapping[str, Any]:
        """Name, title and version of the server."""
        ...

    @property
    def instructions(self) -> str:
        """How a model uses it."""
        ...

    def tools(self) -> Sequence[Fields]:
        """Declarations, in the order in which they are listed."""
        ...

    def has_tool(self, name: str) -> bool:
        """Whether there is a tool of this name, in any spelling that is accepted."""
        ...

    def run_tool(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Fields:
        """Run a tool; whatever happens, there is a result."""
        ...

    def resources(self) -> Sequence[Fields]:
        """Resources worth showing to a person; the others are reached by their template."""
        ...

    def templates(self) -> Sequence[Fields]:
        """Patterns of addresses."""
        ...

    def read(self, uri: str) -> Sequence[Fields]:
        """Content of a resource."""
        ...

    def prompts(self) -> Sequence[Fields]:
        """Declarations of prompts."""
        ...

    def prompt(self, name: str, arguments: Mapping[str, Any]) -> Fields:
        """A prompt's messages."""
        ...

    def complete(self, reference: Mapping[str, Any], argument: str, begun: str) -> Values:
        """Proposals for an argument of a prompt or template, of which something is written."""
        ...
