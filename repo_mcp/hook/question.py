"""Tells what an event asks for: the words of a person, or the expression that a tool looked for."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from repo_mcp.hook.endpoint import PROMPT
from repo_mcp.hook.event import HookEvent
from repo_mcp.hook.weights import EventLimits

# what a client writes into a prompt by itself is an element whose name has several words, which
# no markup of pages has
_ELEMENT: Final = re.compile(r"<([a-z]+(?:[-_][a-z]+)+)\b[^<>]*>.*?(?:</\1\s*>|\Z)", re.DOTALL)
# a command of the client, of its shell or of its memory
_COMMAND: Final = re.compile(r"\s*(?:/[\w:-]+(?:\s|\Z)|[!#])")
# programs that look for an expression in files
_PROGRAMS: Final = frozenset({"rg", "grep", "egrep", "fgrep", "ag", "ack"})
_GIT: Final = "git"
# fields of a tool that searches: the expression, or the command line of a shell
_PATTERNS: Final = ("pattern", "regex", "query", "search")
_COMMANDS: Final = ("command", "cmd")
# what follows an option of these programs as a word of its own
_WITH_VALUE: Final = frozenset("ABCmgtTjMfdE")
_EXPRESSION: Final = ("-e", "--regexp")


def question_in(kind: str, event: HookEvent) -> str:
    """The text to look up, told before what looks it up is loaded; empty if there is none."""
    return written_by_person(event.prompt) if kind == PROMPT else searched_pattern(event)


def written_by_person(prompt: str) -> str:
    """The part of a prompt that a person has written; empty for commands of the client."""
    own = _ELEMENT.sub(" ", prompt)
    return "" if _COMMAND.match(own) else own.strip()


def searched_pattern(event: HookEvent) -> str:
    """The expression that a tool has looked for; empty for tools that do not search."""
    given = event.arguments
    pattern = next((given[name] for name in _PATTERNS if isinstance(given.get(name), str)), "")
    if pattern:
        return str(pattern)
    command = next((given[name] for name in _COMMANDS if name in given), "")
    words = [str(word) for word in command] if isinstance(command, list) else _words_of(command)
    # a shell is given its command line as one word
    if len(words) == len(("sh", "-c", "line")) and words[1] in {"-c", "-lc"}:
        words = _words_of(words[2])
    return _pattern_of(words)


def _words_of(command: object) -> list[str]:
    if not isinstance(command, str) or len(command) > EventLimits.COMMAND:
        return []
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    with suppress(ValueError):  # a quote is open, as in the text of a here-document
        words.extend(lexer)
    return words


def _pattern_of(words: Sequence[str]) -> str:
    """The expression of the first program that searches; empty if there is none."""
    for at, word in enumerate(words):
        name = word.rpartition("/")[2]
        if name in _PROGRAMS or (name == "grep" and words[at - 1] == _GIT):
            return _first_operand(words[at + 1 :])
    return ""


def _first_operand(words: Sequence[str]) -> str:
    skips = False
    for at, word in enumerate(words):
        if skips:
            skips = False
        elif word in _EXPRESSION:
            return words[at + 1] if at + 1 < len(words) else ""
        elif word.startswith("-") and word != "-":
            skips = len(word) == len("-A") and word[1] in _WITH_VALUE
        else:
            return word
    return ""
