"""Writes the texts of contracts in the form that both sides agree on.

A path of a route is its segments, in small letters, `{}` for each that varies. A request may know
less of a path than the route, if the client adds the beginning, or more, if the server does: so
the ends of paths are keys, too, of one side at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, combinations, islice
from typing import Final

from code_graph.expressions import Code, Contract, ContractRole

ROUTE: Final = "route"
# a path that something is asked for in any way: in files of tests it is a request
TESTED: Final = "tested route"
# of no described framework: a call that gives a route if what it is handed is a function, and one
# that asks for a path if it is handed none
LIKELY: Final = "likely route"
ASKED: Final = "asked route"
# a route whose path is a constant: by the constant's name, and where the constant is named
NAMED_ROUTE: Final = "named route"
ROUTE_NAME: Final = "route name"
TABLE: Final = "table"
# of a schema of models, which code names by them
MODEL: Final = "model"
# a table that a model has, where no schema gives it
MODELLED: Final = "modelled table"
SETTING: Final = "setting"
# the members of a component that its template names, and the file of the template
BINDING: Final = "binding"
RPC: Final = "rpc"
NATIVE: Final = "native"
# of a router, by the names of both
PROCEDURE: Final = "procedure"
# routes of another file begin with the path
MOUNT: Final = "mount"
# a method of a controller, by the names of both
ACTION: Final = "action"
# the text of a constant
TEXT: Final = "text"
# … and of a member of one that is no declaration: its names, and the text
MEMBER_TEXT: Final = "text of a member"
# the name of a route, which code makes its path of
ENDPOINT: Final = "endpoint"
# a setting of a framework, which code sets
OPTION: Final = "option"
# a file by its path: a page, or the routes of another file
TEMPLATE: Final = "template"
FILES: Final = "files"
FILE_ROUTES: Final = "file routes"
MESSAGE: Final = "message"
# a function that requests the path which it is given, and a call that gives one a path
WRAPPER: Final = "wrapper"
HANDED: Final = "handed"
# a function that makes a path of its parameters and of fields, by its name, and what it is given
MADE: Final = "made path"
GIVEN: Final = "given"
CONTROLLER: Final = "controller"
ANY: Final = "*"
HOLE: Final = "{}"
METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")

# what a text is put together from: `${x}`, `#{x}`, `\(x)`, `$x`, `%s`, `{x}`
HOLES: Final = re.compile(
    r"\$\{(?:[^{}]|\{\})*(?:\}|\Z)|#\{[^{}]*\}|\\\([^()]*\)|\$[A-Za-z_]\w*"
    r"|%(?:\[\d\])?[-+ 0#]*\d*[sdvqxf]|\{\{[^{}]*\}\}|\{[^{}]*\}"
)
# `(?P<id>\d+)`, `<int:id>`, `:id`, `*rest`, `[id]`
_GROUP: Final = re.compile(r"\((?:[^()]|\([^()]*\))*\)[?*+]?")
_VARIES: Final = re.compile(r"\A(?:.*\{\}.*|:\w.*|<.*>|\*.*|\[.*\]|.*\\[dw].*)\Z")
# what varies, but is a number or an id
_NUMBER: Final = re.compile(r"\A<int:\w+>\Z")
_UUID: Final = re.compile(r"\A<uuid:\w+>\Z")
_IS_UUID: Final = re.compile(r"\A[0-9a-fA-F]{8}(?:-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}\Z")
NUMBER: Final = "{#}"
# what names the method of a class that answers, and tells one object from the list of them
MEMBER: Final = "{!}"
_MEMBER: Final = re.compile(r"\A<member>\Z")
UUID: Final = "{@}"
_SPECIAL: Final = ((NUMBER, _NUMBER), (UUID, _UUID), (MEMBER, _MEMBER))
# a query may be put in behind the last word of a path
_LAST_WORD: Final = re.compile(r"\A([\w.~-]+)\{\}\Z")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PATH: Final = re.compile(r"\A(?:\{\})?/\w")
_SEGMENT: Final = re.compile(r"[\w.~@!$&'()*+;=%-]+")
_METHOD: Final = re.compile(rf"\A({'|'.join(METHODS)})\s+(?=[/\w])")
_HOST: Final = re.compile(r"\A(?:\w[\w+.-]*:)?//([^/?#]*)")
# hosts that may be this repository's: they have no domain, or are not written
_LOCAL: Final = re.compile(
    r"\A(?:[^@]*@)?(?:127\.0\.0\.1|0\.0\.0\.0|[\w-]*\{\}.*|[\w-]+)(?::.*)?\Z"
)
# a request may name the format of its answer; routes seldom do
_FORMATS: Final = (".json", ".xml")
# kinds whose texts may name the module that they are in: `users.show`, `users:show`
_IN_MODULES: Final = frozenset({ENDPOINT, OPTION, PROCEDURE})
_MODULE: Final = re.compile(r"::?|/")
# a topic that varies says something by its words
_WORDS: Final = re.compile(r"[A-Za-z]{3}")
_MOST_SEGMENTS: Final = 10
_LONGEST: Final = 300
# segments of a request that may be what a route lets vary, and how many at once
_MOST_VARYING: Final = 5
_AT_ONCE: Final = 3


def fill_holes(text: str) -> str:
    """The text with `{}` in place of each inserted value."""
    return HOLES.sub(HOLE, text)


def route_key(method: str, text: str) -> str:
    """A method and a path, as `GET /users/{}`; empty for paths of other servers."""
    text = text.strip()
    if len(text) > _LONGEST:
        return ""
    told = _METHOD.match(text)
    if told is not None:
        method, text = told[1], text[told.end() :]
    host = _HOST.match(text)
    if host is not None:
        if not _LOCAL.match(fill_holes(host[1])):
            return ""
        text = text[host.end() :]
    text = fill_holes(text)
    if text and not text.replace(HOLE, ""):
        return ""  # nothing is known of it
    while text.startswith(HOLE):  # where the server is
        text = text.removeprefix(HOLE)
    segments = path_segments(text)
    return "" if segments is None else f"{method} /{'/'.join(segments)}"


def begins_as_path(text: str) -> bool:
    """True for the text of a request on this repository's server, and of no address."""
    return _PATH.match(fill_holes(text)) is not None


def path_segments(text: str) -> list[str] | None:
    """The segments of a path; None if it is none."""
    text = _GROUP.sub(HOLE, fill_holes(text.lstrip("^")).replace("{}?", HOLE))
    text = re.split(r"[?#]", text, maxsplit=1)[0].rstrip("$").replace("\\/", "/")
    found: list[str] = []
    parts = [part for part in text.split("/") if part]
    if parts:
        parts[-1] = _LAST_WORD.sub(r"\1", parts[-1])
    for part in parts:
        if part == "..":
            del found[-1:]
        elif _VARIES.match(part):
            found.append(next((key for key, form in _SPECIAL if form.match(part)), HOLE))
        elif _SEGMENT.fullmatch(part):
            found.append(part.lower())
        else:
            return None
    return found if len(found) <= _MOST_SEGMENTS else None


def join_routes(prefix: str, text: str) -> str:
    """A path joined to its mount prefix."""
    told = _METHOD.match(text)
    method, rest = ("", text) if told is None else (f"{told[1]} ", text[told.end() :])
    return f"{method}{prefix.rstrip('/')}/{rest.lstrip('/^')}" if prefix else text


def plain_key(kind: str, text: str) -> str:
    """The key of any other text; empty if a part of it is unknown."""
    text = text.strip()
    if kind == MESSAGE and _WORDS.search(HOLES.sub("", text)):
        text = fill_holes(text)
    elif HOLE in fill_holes(text):
        return ""
    if not text or len(text) > _LONGEST:
        return ""
    if kind in _IN_MODULES:
        return _MODULE.sub(".", text)
    if kind in {TABLE, MODELLED, MODEL}:
        return text.rpartition(".")[2].strip('`"[]').lower()
    if kind == SETTING:  # `Store:Path`, which the environment has as `Store__Path`
        return (text if text.isupper() else text.rpartition("__")[2]).rpartition(":")[2]
    # languages write the names of procedures as they write those of functions
    return text.removesuffix("Async").replace("_", "").lower() if kind == RPC else text


def underscored(name: str) -> str:
    """A name of humps with underscores between its words: `Order_Item` of `OrderItem`."""
    return _HUMP.sub("_", name)


def action_key(holder: str, name: str) -> str:
    """A method of a controller as frameworks name it: `items#show`, `ItemsController@show`."""
    words = re.split(r"[\\/.]", holder)[-1].replace("_", "").lower()
    return f"{words.removesuffix(CONTROLLER)}#{name}" if words and name else ""


def named_action(text: str) -> str:
    """The key of a method that a text names."""
    text = text.replace("@", "#").replace("::", "#")
    holder, _, name = text.rpartition("#" if "#" in text else ".")
    return action_key(holder, name)


def given_keys(kind: str, key: str) -> list[str]:
    """The keys by which others find a given contract."""
    if kind == NATIVE and "." in key:
        return [key, module_key(key)]
    if kind == MOUNT:
        whole = [part for part in key.split("/") if part]
        return [key, *(f"…/{'/'.join(end)}" for end in _ends(whole))]
    if kind == BINDING:
        return [key.rpartition("/")[2]]
    if kind == TEXT and key.startswith("/"):
        return sorted({key, f"/{'/'.join(path_segments(key) or ())}"})
    if kind not in {ROUTE, LIKELY}:
        return [key.partition(" ")[0] if kind == MADE else key]
    method, segments = _split(_any_holes(key))
    ends = [f"…{_join(method, end)}" for end in _ends(segments)]
    return [_join(method, segments), *ends]


def given_by(code: Code | None) -> dict[tuple[str, str], list[Contract]]:
    """The contracts that a file gives, by their kinds and the keys by which others find them."""
    given: dict[tuple[str, str], list[Contract]] = {}
    for contract in () if code is None else code.contracts:
        if contract.role == ContractRole.GIVES:
            for key in given_keys(contract.kind, contract.key):
                given.setdefault((contract.kind, key), []).append(contract)
    return given


def module_key(name: str) -> str:
    """The key of a module written in another language."""
    return f"{name.partition('.')[0]}."


def may_answer(given: str, wanted: str) -> bool:
    """False if a route has a number or an id where a request has another word."""
    if NUMBER not in given and UUID not in given:
        return True
    _, routes = _split(given)
    _, words = _split(wanted)
    for route, word in zip(reversed(routes), reversed(words), strict=False):
        if word != HOLE and (
            (route == NUMBER and not word.isdigit()) or (route == UUID and not _IS_UUID.match(word))
        ):
            return False
    return True


def _any_holes(key: str) -> str:
    return key.replace(NUMBER, HOLE).replace(UUID, HOLE).replace(MEMBER, HOLE)


def wanted_keys(kind: str, key: str) -> Iterator[list[str]]:
    """The keys that a use looks for, best list first: the first list with an answer counts."""
    if kind != ROUTE:
        yield [key]
        if kind in _IN_MODULES and "." in key:
            yield [key.rpartition(".")[2]]  # in a file that is named as the module
        return
    method, segments = _split(key)
    if segments and all(part == HOLE for part in segments):
        return  # it may be any path
    methods = [*METHODS, ANY] if method == ANY else [method, ANY]
    if segments and segments[-1].endswith(_FORMATS):  # `comments.json` is answered by `comments`
        for path in (segments, *_ends(segments)):
            yield [_join(one, path) for one in methods]
        plain = [*segments[:-1], segments[-1].rpartition(".")[0]]
        yield from wanted_keys(kind, f"{method} /{'/'.join(plain)}")
        return
    # the path as it is, then as the end of a route: words that are equal come before what varies;
    # with more that varies; its ends, for a route below something; as an end with more that varies
    yield [_join(one, segments) for one in methods]
    is_end = any(part != HOLE for part in segments)
    if is_end:
        yield [f"…{_join(one, segments)}" for one in methods]
    below = chain.from_iterable(map(_variants, _ends(segments)))
    for likely in chain(islice(_variants(segments), 1, None), below):
        yield [_join(one, likely) for one in methods]
    for likely in islice(_variants(segments), 1, None) if is_end else ():
        yield [f"…{_join(one, likely)}" for one in methods]


def mounted_keys(key: str) -> Iterator[list[str]]:
    """The keys of a path below a mount prefix: every segment may vary."""
    method, segments = _split(key)
    methods = [*METHODS, ANY] if method == ANY else [method, ANY]
    for likely in _variants(segments, staying=0):
        yield [_join(one, likely) for one in methods]


def _split(key: str) -> tuple[str, list[str]]:
    method, _, path = key.partition(" ")
    return method, [part for part in path.split("/") if part]


def _join(method: str, segments: list[str]) -> str:
    return f"{method} /{'/'.join(segments)}"


def _ends(segments: list[str]) -> Iterator[list[str]]:
    """The ends of a path that say something."""
    for start in range(1, len(segments)):
        end = segments[start:]
        if any(part != HOLE for part in end):
            yield end


def _variants(segments: list[str], staying: int = 1) -> Iterator[list[str]]:
    """A path, then the same path with more and more variable segments; `staying` words stay."""
    named = [at for at, part in enumerate(segments) if part != HOLE]
    yield segments
    for count in range(1, min(len(named) + 1 - staying, _AT_ONCE + 1)):
        for chosen in combinations(named[-_MOST_VARYING:], count):
            yield [HOLE if at in chosen else part for at, part in enumerate(segments)]
