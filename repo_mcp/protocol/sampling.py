"""Sampling: asks the client's own model, in both protocol eras, with a time limit.

With a handshake, the server sends a request and waits. In the modern era, the call is answered with
`input_required`, and the client repeats the call with the answers. The tool then runs again from
its beginning and finds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.protocol.eras import Peer
from repo_mcp.protocol.jsonrpc import INVALID_PARAMS, WireError
from repo_mcp.protocol.seal import Seal, digest

METHOD: Final = "sampling/createMessage"
# timeout for the client's model, including the user's approval
SECONDS: Final = 30.0
# they declare sampling, and without a terminal wait for an approval that nobody can give; in the
# modern era the server, which has answered, can't end that
_NEVER_ANSWERING: Final = ("copilot-cli",)
_MOST_ANSWERS: Final = 8
_MOST_TEXT: Final = 100_000


class InputNeeded(BaseException):
    """The call needs an answer of the client; tools must not catch it."""

    def __init__(self, key: str, params: dict[str, Any]) -> None:
        super().__init__(key)
        self.key = key
        self.params = params


class Answers(NamedTuple):
    """The client's answers in earlier rounds of one call; None for a refusal."""

    call: str = ""
    known: Mapping[str, str | None] = {}


def is_offered(peer: Peer) -> bool:
    """True if the client's model can be asked."""
    return "sampling" in peer.capabilities and not peer.client.startswith(_NEVER_ANSWERING)


def question(prompt: str, tokens: int) -> dict[str, Any]:
    """The parameters of a sampling request."""
    content = {"type": "text", "text": prompt}
    return {"messages": [{"role": "user", "content": content}], "maxTokens": tokens}


def key_of(params: Mapping[str, Any]) -> str:
    """The key of a question, the same in every round."""
    return f"sample-{digest(params)}"


def ask_in_rounds(answers: Answers, params: dict[str, Any]) -> str | None:
    """The answer of an earlier round; raises `InputNeeded` if there is none."""
    key = key_of(params)
    if key in answers.known:
        return answers.known[key]
    if len(answers.known) >= _MOST_ANSWERS:
        return None
    raise InputNeeded(key, params)


def input_required(needed: InputNeeded, answers: Answers, seal: Seal) -> dict[str, Any]:
    """The result that asks the client; it returns the state with its answer."""
    state = {"call": answers.call, "asked": needed.key, "known": answers.known}
    return {
        "resultType": "input_required",
        "inputRequests": {needed.key: {"method": METHOD, "params": needed.params}},
        "requestState": seal.close(state),
    }


def answers_of(params: Mapping[str, Any], seal: Seal) -> Answers:
    """The answers of earlier rounds in a call's parameters."""
    call = digest(params.get("name"), params.get("arguments"))
    given = params.get("requestState")
    if given is None:
        return Answers(call)
    state = seal.open(given) if isinstance(given, str) else None
    if state is None or state["call"] != call:
        raise WireError(
            INVALID_PARAMS, "requestState belongs to another call or has expired: call again"
        )
    responses = params.get("inputResponses")
    answered = responses.get(state["asked"]) if isinstance(responses, dict) else None
    return Answers(call, {**state["known"], state["asked"]: text_of(answered)})


def text_of(answer: object) -> str | None:
    """The text in a client's answer; None if there is none."""
    content = answer.get("content") if isinstance(answer, dict) else None
    blocks = content if isinstance(content, list) else [content]
    texts = [
        block["text"]
        for block in blocks
        if isinstance(block, dict) and isinstance(block.get("text"), str)
    ]
    return "\n".join(texts)[:_MOST_TEXT] if texts else None
