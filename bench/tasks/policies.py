"""Calls of a careful agent for a task, with the tools of this server or with rg and sed.

A policy begins with the natural first call and makes at most four more. It chooses each from the
task and from what the answers so far show, and stops when they seem to answer the question; it does
not know the places that are expected.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from bench.tasks.judge import Call, Place, Task, printed, shown_by_answer, shown_by_rg
from bench.tasks.words import (
    called_names,
    constants_of,
    is_code,
    is_message,
    last_name,
    owner_of,
    tried_parts,
    words_of,
)

MOST_CALLS: Final = 5
# lines that are read of a function, and around a place
_BODY: Final = 60
_AROUND: Final = 20
# lines of output that an agent lets a command print
_MOST_LINES: Final = 100
_FOLLOWED: Final = 6
_CURSOR: Final = re.compile(r"^more: .*cursor[ :=]+\"?([\w+/=.-]+)|^cursor: (\S+)", re.MULTILINE)
_UNRESOLVED: Final = re.compile(r"^not resolved: ([\d,]+) uses of this name", re.MULTILINE)
_PERHAPS: Final = re.compile(r"^perhaps called at [^:]*: (.*)$", re.MULTILINE)
_FIRST_HIT: Final = re.compile(r"^(\S+\.\w+):(\d+)-?\d* (?:in|\()", re.MULTILINE)
_ECMASCRIPT: Final = (
    r"(function|class|const|type|interface) #?({names})\b"
    r"|^\s+(static |async |private |get )*#?({names})(<.*>)?\(.*\{{$"
)
_DEFINED: Final = {
    "Python": r"^\s*(async def|def|class) ({names})\b",
    "Go": r"^func (\([^)]*\) )?({names})\b|^type ({names})\b",
    "TypeScript": _ECMASCRIPT,
    "JavaScript": _ECMASCRIPT,
    "Rust": r"\b(fn|struct|enum|trait|type|const|mod) ({names})\b",
    "C": r"^[A-Za-z_][\w \t*]*\b({names}) ?\([^;]*$|#define ({names})\b",
    "Java": r"\b(class|interface|enum) ({names})\b|^\s+[\w<>\[\], .@]+ ({names})\(.*\{{",
}
_TEST: Final = {
    "Python": r"^\s*def test",
    "Go": r"^func Test",
    "TypeScript": r"^\s*(test|it)\b.*\(",
    "JavaScript": r"^\s*(test|it)\b.*\(",
    "Rust": r"^\s*fn ",
    "C": r"^\w.*\(",
    "Java": r"\bvoid \w+\(\)",
}
_TYPE: Final = {
    "Python": "py",
    "Go": "go",
    "TypeScript": "ts",
    "JavaScript": "js",
    "Rust": "rust",
    "C": "c",
    "Java": "java",
}


class Tools(Protocol):
    """Calls a tool and returns the text of its answer."""

    def __call__(self, tool: str, arguments: Mapping[str, Any], /) -> str:
        """The text of the answer."""


def by_tools(tools: Tools, task: Task, language: str) -> list[Call]:
    """The calls of the tools of this server."""
    calls: list[Call] = []

    def call(tool: str, **arguments: object) -> str:
        text = tools(f"repo.{tool}", arguments)
        calls.append(Call(f"{tool} {arguments}", text, shown_by_answer(text)))
        return text

    del language  # only the shell has to know how a declaration looks
    for _ in zip(range(MOST_CALLS), _OURS[task.kind](call, task), strict=False):
        pass
    return calls


Asked = Callable[..., str]


def _our_definition(call: Asked, task: Task) -> Iterator[None]:
    found = call("symbol", name=task.subject)
    yield
    if found.startswith("failed"):
        call("search", query=task.text)
        yield


def _our_callers(call: Asked, task: Task) -> Iterator[None]:
    found = call("symbol", name=task.subject, callers_only=True)
    yield
    if _has_unresolved(found):
        yield from _our_uses(call, task)


def _our_breakage(call: Asked, task: Task) -> Iterator[None]:
    found = call("symbol", name=task.subject)
    yield
    if "truncated: true" in found:
        call("symbol", name=task.subject, callers_only=True)
        yield
    if _has_unresolved(found):
        yield from _our_uses(call, task)


def _our_tests(call: Asked, task: Task) -> Iterator[None]:
    found = call("symbol", name=task.subject)
    yield
    if "used in tests" not in found and ("tests:" not in found or "tests: none" in found):
        call("search", query=last_name(task.subject), mode="literal", show="symbols", kind="tests")
        yield
    elif "truncated: true" in found:
        call("symbol", name=task.subject, callers_only=True)
        yield


def _our_uses(call: Asked, task: Task) -> Iterator[None]:
    name = last_name(task.subject)
    call("search", query=name, mode="literal", whole_word=True, show="symbols")
    yield


def _has_unresolved(found: str) -> bool:
    """True if the answer counts uses that it could not resolve and does not list them either."""
    unresolved = _UNRESOLVED.search(found)
    listed = _PERHAPS.search(found)
    count = int(unresolved[1].replace(",", "")) if unresolved else 0
    return found.startswith("failed") or count > (listed[1].count(";") + 1 if listed else 0)


def _our_flow(call: Asked, task: Task) -> Iterator[None]:
    found = call("build_context_bundle", prompt=task.text)
    yield
    if "→" not in found:
        call("symbol", name=task.subject)
        yield
        call("search", query=task.text)
        yield


def _our_places(call: Asked, task: Task) -> Iterator[None]:
    asked = {"query": task.subject, "mode": "literal"}
    found = call("search", **asked)
    yield
    while cursor := _CURSOR.search(found):
        found = call("search", **asked, cursor=cursor[1] or cursor[2])
        yield


def _our_message(call: Asked, task: Task) -> Iterator[None]:
    found = call("search", query=task.subject)
    yield
    for run in tried_parts(task.subject):
        if _has_source(printed(found), task.subject):
            return
        found = call("search", query=run, mode="literal")
        yield


def _has_source(lines: Iterable[tuple[str, str]], message: str) -> bool:
    """True if a line of code that is no test has most words of a message."""
    return any(is_code(path) and is_message(text, message) for path, text in lines)


def _our_configuration(call: Asked, task: Task) -> Iterator[None]:
    found = call("search", query=task.subject, mode="literal", whole_word=True, show="symbols")
    yield
    for constant in constants_of(found, task.subject)[:2]:
        call("symbol", name=constant)
        yield


def _our_behaviour(call: Asked, task: Task) -> Iterator[None]:
    found = call("search", query=task.text)
    yield
    best = _FIRST_HIT.search(found)
    if best:
        call("symbol", name=f"{best[1]}:{best[2]}")
        yield


_OURS: Final[Mapping[str, Callable[[Asked, Task], Iterator[None]]]] = {
    "definition": _our_definition,
    "callers": _our_callers,
    "breakage": _our_breakage,
    "tests": _our_tests,
    "flow": _our_flow,
    "places": _our_places,
    "message": _our_message,
    "configuration": _our_configuration,
    "behaviour": _our_behaviour,
}


def by_shell(root: Path, task: Task, language: str) -> list[Call]:
    """The commands of rg and sed."""
    shell = Shell(root, language)
    for _ in zip(range(MOST_CALLS), _SHELL[task.kind](shell, task), strict=False):
        pass
    return shell.calls


class Shell:
    """Runs commands in a folder and keeps what they print."""

    def __init__(self, root: Path, language: str) -> None:
        self._root = root
        self._language = language
        self.calls: list[Call] = []

    def rg(self, *arguments: str) -> list[tuple[str, int, str]]:
        """The lines that `rg -n … | head` prints: path, number, text."""
        command = ["rg", "-n", "--no-heading", "--sort", "path", *arguments]
        done = subprocess.run(command, cwd=self._root, capture_output=True, check=False)
        rows = done.stdout.decode("utf-8", "replace").split("\n")[:_MOST_LINES]
        text = "\n".join(rows)
        self.calls.append(Call(f"rg {' '.join(arguments)}", text, shown_by_rg(text)))
        parts = (row.split(":", 2) for row in rows if row.count(":") > 1)
        return [(path, int(line), rest) for path, line, rest in parts if line.isdigit()]

    def definitions(self, names: Sequence[str]) -> list[tuple[str, int, str]]:
        """The lines that declare some names."""
        return self.rg("-e", _DEFINED[self._language].format(names="|".join(names)))

    def tests(self, path: str, name: str) -> None:
        """The lines of a file that declare tests or have a name."""
        pattern = rf"{_TEST[self._language]}|\b{re.escape(name)}\b"
        found = self.rg("-H", "-e", pattern, path)
        del found

    def in_code(self, pattern: str) -> list[tuple[str, int, str]]:
        """The lines of the language's files that match, whatever their case."""
        return self.rg("-i", "-t", _TYPE[self._language], "-e", pattern)

    def read(self, path: str, line: int, count: int = _AROUND) -> str:
        """Lines of a file from one on."""
        first = max(1, line)
        rows = (self._root / path).read_text("utf-8", "replace").split("\n")
        text = "\n".join(rows[first - 1 : first - 1 + count])
        shown = frozenset((path, first + at) for at in range(text.count("\n") + 1))
        self.calls.append(Call(f"sed -n {first},{first + count - 1}p {path}", text, shown))
        return text


def _shell_definition(shell: Shell, task: Task) -> Iterator[None]:
    found = shell.definitions([last_name(task.subject)])
    yield
    if not found:
        found = shell.rg("-w", "-e", last_name(task.subject))
        yield
    if len(found) > 1:
        shell.read(*_likeliest(found, task))
        yield


def _likeliest(found: Sequence[tuple[str, int, str]], task: Task) -> Place:
    """The declaration that names its owner in its line or in its path; code before tests."""
    owner = owner_of(task.subject)

    def rank(row: tuple[str, int, str]) -> tuple[bool, bool, bool]:
        path, _, text = row
        in_line = bool(owner) and owner in text
        return not is_code(path), not in_line, owner.lower() not in path.lower()

    path, line, _ = min(found, key=rank)
    return path, line


def _shell_callers(shell: Shell, task: Task) -> Iterator[None]:
    name = last_name(task.subject)
    found = shell.rg("-e", rf"\b{name} ?\(")
    yield
    if owner_of(task.subject):
        declared = shell.definitions([name])
        yield
        if len(declared) > 1:
            yield from _receivers(shell, found, declared, 3)


def _receivers(
    shell: Shell,
    found: Sequence[tuple[str, int, str]],
    declared: Sequence[tuple[str, int, str]],
    most: int,
) -> Iterator[None]:
    """Read around the first call of some files, to see what it is called on."""
    left_out = {(path, line) for path, line, _ in declared}
    calls = [(path, line) for path, line, _ in found if (path, line) not in left_out]
    first = dict(reversed(calls))
    for path, line in [*first.items()][:most]:
        shell.read(path, line - _AROUND // 2)
        yield


def _shell_breakage(shell: Shell, task: Task) -> Iterator[None]:
    name = last_name(task.subject)
    found = shell.rg("-w", "-e", name)
    yield
    declared = shell.definitions([name])
    yield
    yield from _receivers(shell, found, declared, 2)


def _shell_tests(shell: Shell, task: Task) -> Iterator[None]:
    name = last_name(task.subject)
    found = shell.rg("-w", "-g", "*[tT]est*", "-g", "**/test/**", "-g", "**/tests/**", "-e", name)
    yield
    for path, _ in Counter(path for path, _, _ in found).most_common(3):
        shell.tests(path, name)
        yield


def _shell_flow(shell: Shell, task: Task) -> Iterator[None]:
    known = [last_name(task.subject)]
    found = shell.definitions(known)
    yield
    while found:
        code = shell.read(*_likeliest(found, task), _BODY)
        yield
        names = called_names(code, known, task.text)[:_FOLLOWED]
        if not names:
            return
        known += names
        found = shell.definitions(names)
        found.sort(key=lambda row: next((at for at, name in enumerate(names) if name in row[2]), 9))
        found = found[:1]
        yield


def _shell_places(shell: Shell, task: Task) -> Iterator[None]:
    shell.rg("-F", "-e", task.subject)
    yield


def _shell_message(shell: Shell, task: Task) -> Iterator[None]:
    for run in tried_parts(task.subject):
        found = shell.rg("-F", "-e", run)
        yield
        if _has_source(((path, text) for path, _, text in found), task.subject):
            return


def _shell_configuration(shell: Shell, task: Task) -> Iterator[None]:
    shell.rg("-w", "-e", task.subject)
    yield
    for constant in constants_of(shell.calls[0].text, task.subject)[:2]:
        shell.rg("-w", "-e", constant)
        yield


def _shell_behaviour(shell: Shell, task: Task) -> Iterator[None]:
    words = words_of(task.text)
    found = shell.in_code("|".join(words))
    yield
    for path, line in _densest(found, words)[:3]:
        shell.read(path, line, 2 * _AROUND)
        yield


def _densest(found: Sequence[tuple[str, int, str]], words: Sequence[str]) -> list[Place]:
    """Where most of the words stand together, one place of each file."""
    best: dict[str, tuple[int, int]] = {}
    for path, line, _ in found:
        near = " ".join(
            text.lower()
            for other, at, text in found
            if other == path and 0 <= at - line < 2 * _AROUND
        )
        count = sum(word.lower() in near for word in words)
        best[path] = max(best.get(path, (0, 0)), (count, -line))
    ranked = sorted(best, key=lambda path: (not is_code(path), -best[path][0], path))
    return [(path, -best[path][1]) for path in ranked]


_SHELL: Final[Mapping[str, Callable[[Shell, Task], Iterator[None]]]] = {
    "definition": _shell_definition,
    "callers": _shell_callers,
    "breakage": _shell_breakage,
    "tests": _shell_tests,
    "flow": _shell_flow,
    "places": _shell_places,
    "message": _shell_message,
    "configuration": _shell_configuration,
    "behaviour": _shell_behaviour,
}
