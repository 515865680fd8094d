"""JSON-RPC 2.0: parses lines to messages, formats answers as lines."""

from __future__ import annotations

import json
import re
from contextlib import suppress

from index_format.annotations import Any, Final
from index_format.tuples import NamedTuple

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603

Id = str | int


class JsonRpcRequest(NamedTuple):
    """A request, or a notification if it has no id."""

    method: str
    params: dict[str, Any]
    id: Id | None


class Reply(NamedTuple):
    """The client's response to a request of the server; no result if it is an error."""

    id: Id | None
    result: dict[str, Any] | None


class WireError(Exception):
    """A JSON-RPC error; `id` is None if the message's id could not be read."""

    def __init__(self, code: int, message: str, id_: Id | None = None, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.id = id_
        self.data = data


def parse(line: bytes) -> JsonRpcRequest | Reply:
    """The message in a line."""
    found = _value(line)
    if not isinstance(found, dict):
        kind = "batches are not supported" if isinstance(found, list) else "not an object"
        raise WireError(INVALID_REQUEST, kind)
    if "method" not in found and ("result" in found or "error" in found):
        # never answer a response, however malformed: that could loop forever
        id_, given = found.get("id"), found.get("result")
        known = isinstance(id_, str | int) and not isinstance(id_, bool)
        return Reply(id_ if known else None, given if isinstance(given, dict) else None)
    id_ = _checked_id(found)
    if found.get("jsonrpc") != "2.0":
        raise WireError(INVALID_REQUEST, 'jsonrpc is not "2.0"', id_)
    method, params = found.get("method"), found.get("params")
    if not isinstance(method, str):
        raise WireError(INVALID_REQUEST, "method is not a string", id_)
    if params is not None and not isinstance(params, dict):
        raise WireError(INVALID_PARAMS, "params is not an object", id_)
    return JsonRpcRequest(method, params or {}, id_)


def _value(line: bytes) -> object:
    try:
        return json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except RecursionError:
        if not line.rstrip().endswith((b"]", b"}")):  # truncated
            raise WireError(PARSE_ERROR, "the line is not JSON in UTF-8") from None
        raise WireError(INVALID_REQUEST, "the message is nested too deeply", id_of(line)) from None
    except (ValueError, MemoryError):
        raise WireError(PARSE_ERROR, "the line is not JSON in UTF-8") from None


def _refuse_constant(name: str) -> object:
    raise ValueError(name)


def _checked_id(found: dict[str, Any]) -> Id | None:
    if "id" not in found:
        return None
    id_ = found["id"]
    if isinstance(id_, bool) or not isinstance(id_, str | int):
        raise WireError(INVALID_REQUEST, "id is not a string or a whole number")
    return id_


def result(id_: Id, body: str) -> bytes:
    """A response with a result; `body` is its JSON."""
    return f'{{"jsonrpc":"2.0","id":{dumps(id_)},"result":{body}}}\n'.encode("ascii")


def error(problem: WireError) -> bytes:
    """A response with an error."""
    return line({"jsonrpc": "2.0", "id": problem.id, "error": error_body(problem)})


def error_body(problem: WireError) -> dict[str, Any]:
    """The error object of a response."""
    body: dict[str, Any] = {"code": problem.code, "message": problem.message}
    return body if problem.data is None else {**body, "data": problem.data}


def line(message: dict[str, Any]) -> bytes:
    """A message as a line of bytes."""
    return (dumps(message) + "\n").encode("ascii")


_encode: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def dumps(value: object) -> str:
    """JSON in one line of ASCII; lone surrogates, which many clients refuse, become "?"."""
    text = _encode(value)
    if "\\ud" not in text:
        return text
    whole = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    return json.dumps(json.loads(whole), separators=(",", ":"))


# the bytes of a malformed message that are searched for its id
_MOST: Final = 1 << 18
_TOKEN: Final = re.compile(
    r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]+|[\]}]+|[^\s\[\]{}":,]+|[:,]|"', re.DOTALL
)
_OPEN: Final = frozenset("[{")
_CLOSED: Final = frozenset("]}")


def id_of(line: bytes) -> str | int | None:
    """The id of a malformed request; None if there is none within the first bytes."""
    fields = _fields(line[:_MOST].decode("utf-8", "replace"))
    id_ = _parse_token(fields.get("id", ""))
    # without a method it is a response, which is never answered
    method = isinstance(_parse_token(fields.get("method", "")), str)
    if not method or isinstance(id_, bool) or not isinstance(id_, str | int):
        return None
    return id_


def _fields(text: str) -> dict[str, str]:
    """The scalar members of the outermost object, as raw tokens."""
    found: dict[str, str] = {}
    depth = 0
    before = ["", "", ""]
    for match in _TOKEN.finditer(text):
        if match[0] == '"':  # an unterminated string
            break
        token = match[0]
        if token[0] in _OPEN:
            depth += len(token)
        elif token[0] in _CLOSED:
            depth -= len(token)
        elif depth != 1:
            continue
        before = [*before[1:], token]
        if before[1] == ":" and isinstance(name := _parse_token(before[0]), str):
            found[name] = token
    return found


def _parse_token(token: str) -> object:
    with suppress(ValueError):
        return json.loads(token)
    return None
