"""Reads questions of `repo.ask`: what each wants, and the names that it is about."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import chain
from typing import Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.answers import asked
from repo_mcp.errors import Problem
from repo_mcp.question.kinds import Intent, explicit_names, parse_question
from repo_mcp.question.query import is_report

# words of a question that asks one thing
_LONGEST_SENTENCE: Final = 16
_PREFIX: Final = re.compile(rf"\s*(?P<want>{'|'.join(asked.WANTS)})\s*:\s*(?P<rest>.*)", re.DOTALL)
# a name: of code, a path with lines, or a text in quotes
_QUOTED: Final = r"\"[^\"]+\"|`[^`]+`|'[^']+'"
_ONE_NAME: Final = rf"{_QUOTED}|[^\s,\"`'()]+\([^()]*\)|[^\s,\"`']+"
_NAMES: Final = re.compile(rf"(?:{_ONE_NAME})(?:\s*,\s*(?:{_ONE_NAME}))*")
_NAME: Final = re.compile(_ONE_NAME)
# arguments that a further question may have
_FIELDS: Final = ("question", "names", "want", "from", "to", "over")


class AskedQuestion(NamedTuple):
    """The words of a question, the names that it is about, and the kind of answer."""

    words: str = ""
    names: tuple[str, ...] = ()
    want: str = asked.AUTO
    # the ends of a flow, and names between them
    start: str = ""
    end: str = ""
    over: str = ""

    @property
    def title(self) -> str:
        """The question in a few words."""
        ends = f"{self.start} to {self.end}" if self.start or self.end else ""
        return self.words or ends or ", ".join(self.names) or self.want


def read_questions(arguments: Mapping[str, Any]) -> list[AskedQuestion]:
    """The questions of a call, without empty ones; raises `Problem` if there is none."""
    questions = [*_of_fields(arguments), *chain.from_iterable(map(_read, arguments["more"] or ()))]
    questions = [_decided(item) for item in questions if not _is_empty(item)]
    if not questions:
        raise Problem("argument_invalid", "question or names are missing")
    return questions


def _is_empty(question: AskedQuestion) -> bool:
    return question == AskedQuestion() or (
        question._replace(want=asked.AUTO) == AskedQuestion()
        and question.want not in (asked.TOUR, asked.PACKAGES)
    )


def _of_fields(fields: Mapping[str, Any]) -> list[AskedQuestion]:
    """The question of some fields; names that say what they want are further ones."""

    def text(name: str) -> str:
        return str(fields.get(name) or "").strip()

    names = fields.get("names") or ()
    names = [names] if isinstance(names, str) else names
    want = text("want") or asked.AUTO
    if want not in asked.WANTS:
        raise Problem("argument_invalid", f"want must be one of {', '.join(asked.WANTS)}")
    given = (str(name).strip() for name in names)
    every = [*dict.fromkeys(name for name in given if name)]
    apart = [name for name in every if _PREFIX.fullmatch(name)]
    own = tuple(name for name in every if name not in apart)
    question = AskedQuestion(text("question"), own, want, text("from"), text("to"), text("over"))
    if question.words and not own and want == asked.AUTO:
        question = _of_text(question.words, question)
    return [question, *(_of_text(name, AskedQuestion()) for name in apart)]


def _read(text: str) -> list[AskedQuestion]:
    """A further question: words, `want: names`, or the arguments as a JSON object."""
    if text.lstrip().startswith("{"):
        try:
            fields = json.loads(text)
        except (ValueError, RecursionError):
            fields = None
        if isinstance(fields, dict) and fields.keys() <= {*_FIELDS}:
            return _of_fields(fields)
    return [_of_text(text.strip(), AskedQuestion())]


def _of_text(text: str, question: AskedQuestion) -> AskedQuestion:
    """A question that is written in one text: a prefix says what it wants."""
    prefix = _PREFIX.fullmatch(text)
    if prefix is not None:
        question, text = question._replace(want=prefix["want"]), prefix["rest"].strip()
    if question.want == asked.FLOW and "->" in text:
        start, _, end = text.partition("->")
        return question._replace(words="", start=start.strip(), end=end.strip())
    if _NAMES.fullmatch(text):
        return question._replace(words="", names=tuple(_NAME.findall(text)))
    return question._replace(words=text)


def _decided(question: AskedQuestion) -> AskedQuestion:
    """The question with what it wants, where it does not say so, and the names in its words."""
    want = question.want
    if want == asked.AUTO:
        want = _wanted(question)
    names = question.names
    if not names and question.words and want in _OF_NAMES:
        names = tuple(_names_in(question.words))
    return question._replace(want=want, names=names)


# questions that are answered about the names in their words
_OF_NAMES: Final = frozenset(
    {asked.USES, asked.TESTS, asked.SETTING, asked.PLAN, asked.WHY, asked.OWNERS}
)


def _names_in(words: str) -> list[str]:
    names = (name.strip("`'\"") for name in dict.fromkeys(explicit_names(words)))
    return [name.removesuffix("()") for name in names]


def _wanted(question: AskedQuestion) -> str:
    """The kind of question that its words ask; `auto` for names alone.

    Words beside names that the asker gives, or more than a sentence, say what to look for. A short
    question says what it wants of the names in it.
    """
    words = question.words
    if question.start or question.end:
        return asked.FLOW
    if not words:
        return asked.AUTO
    if is_report(words):
        return asked.FIX
    is_search = bool(question.names) or len(words.split()) > _LONGEST_SENTENCE
    return asked.WHERE if is_search else _wanted_by_sentence(words)


def _wanted_by_sentence(words: str) -> str:
    """The kind of question that one sentence asks."""
    question = parse_question(words)
    wants = _OF_NAMED if question.names else _OF_WORDS
    reading = next(question.readings(wants), None)
    if reading is None:
        return asked.WHERE
    is_open = reading.kind is Intent.CONNECTION and not all(map(explicit_names, reading.phrases))
    return asked.WHERE if is_open else wants[reading.kind]


# what is asked by kinds of questions: those with names, and those without
_OF_WORDS: Final[Mapping[Intent, str]] = {
    **dict.fromkeys(
        {*Intent} - {Intent.ANOTHER, Intent.SETTING, Intent.KEY, Intent.USAGE}, asked.WHERE
    ),
    Intent.REASON: asked.WHY,
    Intent.OWNERS: asked.OWNERS,
    Intent.PACKAGES: asked.PACKAGES,
    Intent.WAY: asked.FLOW,
    Intent.ARCHITECTURE: asked.TOUR,
}
_OF_NAMED: Final[Mapping[Intent, str]] = {
    **_OF_WORDS,
    Intent.ANOTHER: asked.PLAN,
    Intent.TESTS: asked.TESTS,
    Intent.SETTING: asked.SETTING,
    **dict.fromkeys((Intent.CALLERS, Intent.DEPENDENTS, Intent.IMPACT), asked.USES),
    Intent.CONNECTION: asked.FLOW,
    Intent.ARCHITECTURE: asked.WHERE,
}
