"""Sampling: asks the client's own model, in both protocol eras, with a time limit.

With a handshake the server sends a request and waits. Without one it can't: the call is answered by
what it wants to know, and the client calls again with the answers. The tool then runs once more
from its beginning and finds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from repo_mcp.protocol.jsonrpc import INVALID_PARAMS, WireError
from repo_mcp.protocol.seal import Seal, digest

METHOD: Final = "sampling/createMessage"
# how long a client's model, or the person who has to allow it, may take
SECONDS: Final = 30.0
_MOST_ANSWERS: Final = 8
_MOST_TEXT: Final = 100_000


class InputNeeded(BaseException):
    """The call can go on once the client has answered this; no tool may catch it."""

    def __init__(self, key: str, params: dict[str, Any]) -> None:
        super().__init__(key)
        self.key = key
        self.params = params


class Answers(NamedTuple):
    """What the client has answered in the rounds of one call; None where it would not."""

    call: str = ""
    known: Mapping[str, str | None] = {}


def question(prompt: str, tokens: int) -> dict[str, Any]:
    """The request for a client's model."""
    content = {"type": "text", "text": prompt}
    return {"messages": [{"role": "user", "content": content}], "maxTokens": tokens}


def key_of(params: Mapping[str, Any]) -> str:
    """The name of a question: the same one has the same name in every round."""
    return f"sample-{digest(params)}"


def ask_in_rounds(answers: Answers, params: dict[str, Any]) -> str | None:
    """The answer of an earlier round; without it, the call ends here and asks for it."""
    key = key_of(params)
    if key in answers.known:
        return answers.known[key]
    if len(answers.known) >= _MOST_ANSWERS:
        return None
    raise InputNeeded(key, params)


def input_required(needed: InputNeeded, answers: Answers, seal: Seal) -> dict[str, Any]:
    """The result that asks; the client sends its state back with the answer."""
    state = {"call": answers.call, "asked": needed.key, "known": answers.known}
    return {
        "resultType": "input_required",
        "inputRequests": {needed.key: {"method": METHOD, "params": needed.params}},
        "requestState": seal.close(state),
    }


def answers_of(params: Mapping[str, Any], seal: Seal) -> Answers:
    """What a call brings back from earlier rounds."""
    call = digest(params.get("name"), params.get("arguments"))
    given = params.get("requestState")
    if given is None:
        return Answers(call)
    state = seal.open(given) if isinstance(given, str) else None
    if state is None or state["call"] != call:
        raise WireError(INVALID_PARAMS, "requestState is not this call's, or too old: call anew")
    responses = params.get("inputResponses")
    answered = responses.get(state["asked"]) if isinstance(responses, dict) else None
    return Answers(call, {**state["known"], state["asked"]: text_of(answered)})


def text_of(answer: object) -> str | None:
    """The text in a client's answer; None where there is none."""
    content = answer.get("content") if isinstance(answer, dict) else None
    blocks = content if isinstance(content, list) else [content]
    texts = [
        block["text"]
        for block in blocks
        if isinstance(block, dict) and isinstance(block.get("text"), str)
    ]
    return "\n".join(texts)[:_MOST_TEXT] if texts else None
