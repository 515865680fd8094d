"""Roots, sampling and logging, which the protocol deprecates: the client's folders, model and log.

All that is known of them stands here. Each may be missing in a client: the server then does what
`instead` says, and does so for all once support has ended.
"""

from __future__ import annotations

from collections.abc import Mapping

from index_format.annotations import Any, Final
from index_format.tuples import NamedTuple
from repo_mcp.protocol.eras import Peer
from repo_mcp.protocol.jsonrpc import INVALID_PARAMS, WireError

Fields = dict[str, Any]


class DeprecatedFeature(NamedTuple):
    """A capability of the protocol whose support ends."""

    name: str
    instead: str
    # the version that deprecates it, and the day on which support ends: twelve months later
    since: str = "2026-07-28"
    ends: str = "2027-07-28"


ROOTS: Final = DeprecatedFeature(
    "roots", "folders are named by `--root`, `--workspace`, or where the server is started"
)
SAMPLING: Final = DeprecatedFeature(
    "sampling", "further words and summaries are taken from the index, which answers say"
)
LOGGING: Final = DeprecatedFeature(
    "logging", "defects go to standard error, the state of a call into reports of progress"
)
FEATURES: Final = (ROOTS, SAMPLING, LOGGING)

LIST_ROOTS: Final = "roots/list"
ROOTS_CHANGED: Final = "notifications/roots/list_changed"
ROOTS_SECONDS: Final = 5.0
_MOST_ROOTS: Final = 1000


def offers_roots(peer: Peer) -> bool:
    """True if the client can be asked for its folders."""
    return ROOTS.name in peer.capabilities


def tells_changes_of_roots(peer: Peer) -> bool:
    """True if the client says that they change; the modern era has no word for it."""
    offered = peer.capabilities.get(ROOTS.name)
    return not peer.modern and isinstance(offered, dict) and offered.get("listChanged") is True


def roots_of(answer: object) -> list[Fields]:
    """The folders in a client's answer; none if it refuses."""
    rows = answer.get("roots") if isinstance(answer, dict) else None
    found = rows if isinstance(rows, list) else []
    return [row for row in found if isinstance(row, dict)][:_MOST_ROOTS]


CREATE_MESSAGE: Final = "sampling/createMessage"
# timeout for the client's model, including the user's approval
SAMPLING_SECONDS: Final = 30.0
# they declare sampling, and without a terminal wait for an approval that nobody can give; in the
# modern era the server, which has answered, can't end that
_NEVER_ANSWERING: Final = ("copilot-cli",)
_MOST_TEXT: Final = 100_000


def offers_sampling(peer: Peer) -> bool:
    """True if the client's model can be asked."""
    return SAMPLING.name in peer.capabilities and not peer.client.startswith(_NEVER_ANSWERING)


def question(prompt: str, tokens: int) -> Fields:
    """The parameters of a question to the client's model."""
    content = {"type": "text", "text": prompt}
    return {"messages": [{"role": "user", "content": content}], "maxTokens": tokens}


def text_of(answer: object) -> str | None:
    """The text in the answer of the client's model; None if there is none."""
    content = answer.get("content") if isinstance(answer, dict) else None
    blocks = content if isinstance(content, list) else [content]
    texts = [
        block["text"]
        for block in blocks
        if isinstance(block, dict) and isinstance(block.get("text"), str)
    ]
    return "\n".join(texts)[:_MOST_TEXT] if texts else None


SET_LEVEL: Final = "logging/setLevel"
LOG_MESSAGE: Final = "notifications/message"
_LEVELS: Final = (
    *("debug", "info", "notice", "warning"),
    *("error", "critical", "alert", "emergency"),
)
# for handshake clients until they set one
DEFAULT_LEVEL: Final = "warning"


def level_of(params: Mapping[str, Any]) -> str:
    """The least level that a client sets for its log."""
    level = params.get("level")
    if level not in _LEVELS:
        raise WireError(INVALID_PARAMS, f"level must be one of {', '.join(_LEVELS)}")
    return str(level)


def should_send(level: str, least: str) -> bool:
    """True if a message of this level is to be sent; never without a valid minimum level."""
    if least not in _LEVELS or level not in _LEVELS:
        return False
    return _LEVELS.index(level) >= _LEVELS.index(least)
