"""Questions to the client in the modern era, in which a server sends no requests.

The call is answered with `input_required`, and the client repeats it with its answers. The tool
then runs again from its beginning and finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from index_format.annotations import Any, Final
from index_format.tuples import NamedTuple
from repo_mcp.protocol import deprecated
from repo_mcp.protocol.jsonrpc import INVALID_PARAMS, WireError
from repo_mcp.protocol.seal import Seal, digest

_MOST_ANSWERS: Final = 8
# what is kept of an answer, by the method that asked for it
_READERS: Final[Mapping[str, Callable[[object], Any]]] = {
    deprecated.CREATE_MESSAGE: deprecated.text_of,
    deprecated.LIST_ROOTS: deprecated.roots_of,
}


class InputNeeded(BaseException):
    """The call needs an answer of the client; tools must not catch it."""

    def __init__(self, key: str, method: str, params: dict[str, Any]) -> None:
        super().__init__(key)
        self.key = key
        self.method = method
        self.params = params


class Answers(NamedTuple):
    """The client's answers in earlier rounds of one call; None for a refusal."""

    call: str = ""
    known: Mapping[str, Any] = {}


def ask_in_rounds(answers: Answers, method: str, params: dict[str, Any]) -> Any:  # noqa: ANN401 by method
    """The answer of an earlier round; raises `InputNeeded` if there is none."""
    key = key_of(method, params)
    if key in answers.known:
        return answers.known[key]
    if len(answers.known) >= _MOST_ANSWERS:
        return None
    raise InputNeeded(key, method, params)


def key_of(method: str, params: Mapping[str, Any]) -> str:
    """The key of a question, the same in every round."""
    return f"{method}-{digest(params)}"


def input_required(needed: InputNeeded, answers: Answers, seal: Seal) -> dict[str, Any]:
    """The result that asks the client; it returns the state with its answer."""
    asked = [needed.method, needed.key]
    state = {"call": answers.call, "asked": asked, "known": answers.known}
    return {
        "resultType": "input_required",
        "inputRequests": {needed.key: {"method": needed.method, "params": needed.params}},
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
    method, key = state["asked"]
    responses = params.get("inputResponses")
    answered = responses.get(key) if isinstance(responses, dict) else None
    return Answers(call, {**state["known"], key: _READERS[method](answered)})
