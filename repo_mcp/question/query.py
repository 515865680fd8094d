"""Parses the plain words of a query into weighted words and possible names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from code_graph.facts import normalize_name
from code_graph.paths.path_kinds import requested_kinds
from index_format.analysis.words import MAX_WORD, terms_of_words
from index_format.records import Record, replace
from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.question.terms import PART, WHOLE, QueryTerm, parse_terms
from repo_mcp.question.word_lists import CHANGE_VERBS, CHANGE_WORDS, FUNCTION_WORDS, STOP

if TYPE_CHECKING:  # few queries are reports
    from repo_mcp.question.report import FileMention

# what is read of a text, and of one line of it: whoever pastes a report means its words
MAX_REQUEST: Final = 100_000
MAX_QUERY: Final = 2_000
# words of a question that is ranked by meaning though its search ranks by words; in a shorter query
# an unknown word gets suggestions
FEWEST_ASKED: Final = 5
MAX_TERMS: Final = 64
# words that say little about what is sought
FAINT: Final = (FUNCTION_WORDS | CHANGE_WORDS) - STOP
# weight of another form of a word, or of a declared name that contains or resembles one that
# nothing declares, relative to the word itself: identifiers by lines +.08, misspelt ones +.43,
# fragments +.19
FORM: Final = 0.7
_MAX_NAME_WORDS: Final = 6
# weight of a faint word in a query that may be no name, and of one that only means nearly what a
# word of the query does (decision 0039)
FAINT_WEIGHT: Final = 0.3
# shorter queries may be names
FEWEST_WORDS: Final = 3
# the kind of a change and its area at the beginning of a message: "fix(tcp): summary"
_CHANGE_KIND: Final = re.compile(
    r"(?:build|chore|ci|deps|docs?|feat|fix|perf|refactor|revert|style|tests?|types)"
    r"(?:\(([^()]*)\))?!?:\s+",
    re.IGNORECASE,
)
# the areas at the beginning of a message: "net: tcp: summary"
_AREAS: Final = re.compile(r"(?:(?:[\w/.+*()\[\]-]++,? ?){1,3}(?<=\S):\s+){1,3}")
# beginnings of a line that imports
_IMPORT: Final = re.compile(r"\s*(?:imports?|from|#?include|requires?|using|use)\b", re.IGNORECASE)
# questions, and not reports that end in one
_ASKED: Final = re.compile(
    r"\W*(?:(?:how|what|why|which|who)\b"
    r"|(?:when|where|can|could|do|does|is|are|should|will)\s+"
    r"(?:an?|are|can|do|does|i|is|it|my|one|should|the|there|this|to|we|will|you)\b)|.*\?\s*$",
    re.IGNORECASE | re.DOTALL,
)
_MOST_ASKED: Final = 25
_WORDS: Final = re.compile(r"[^\W\d_]{2}")
# words of a report, and of a text that has a title and more
_FEWEST_TOLD: Final = 64
_FEWEST_IN_PARTS: Final = 40
_TRACE: Final = re.compile(
    r"^\s*(?:Traceback \(most recent call last\)|at [\w$.<>]+\(|File \"[^\"]+\", line \d+)",
    re.MULTILINE,
)
# weights of the words of a report by the part that they stand in
_TITLE: Final = 1.0
_NAMES: Final = 1.0
_PROSE: Final = 0.3
_REST: Final = 0.1
_AREA_END: Final = re.compile(r"[:,/()\[\]]")
_WORD: Final = re.compile(r"\w+")

# words that declare what is named behind them
KEYWORDS: Final = (
    "class|def|func|fun|fn|function|struct|interface|trait|protocol|enum|union|type|typedef|alias"
    "|const|let|var|val|module|namespace|package|mod|impl|object|record|macro|#define|define|sub"
)
_WRITTEN_NAME: Final = re.compile(
    rf"(?:(?P<keyword>{KEYWORDS})\s+)?(?P<name>[$@]?\w+(?:(?:\.|::|->|#)\w+){{0,5}})(?:\(\))?:?"
)
_JOINT: Final = re.compile(r"\.|::|->|#")


class Name(NamedTuple):
    """A name as written, its qualifiers from the outermost to the innermost, and its keyword."""

    written: str
    within: tuple[str, ...] = ()
    keyword: str = ""


class QueryWord(Record):
    """A word of the query, its identifier parts if it has several, and its weight."""

    term: str
    weight: float
    parts: tuple[str, ...] = ()
    # true if it stands in an area: "area: summary"
    in_area: bool = False


class Query(Record):
    """A parsed query."""

    words: tuple[QueryWord, ...]
    # identifiers without underscores: possible declared names
    joined: tuple[str, ...]
    # all words joined, a possible declared name; empty if there are too many
    name: str
    # kinds of files that the query asks for
    kinds: frozenset[str]
    # the query as a name, plain or behind a keyword and what holds it
    written_name: Name | None = None
    # true if lines that import may be what is sought
    is_import: bool = False
    # the terms of each area that the query begins with
    areas: tuple[frozenset[str], ...] = ()
    # without the kind of a change
    text: str = ""
    # true if it names an area, or has a word that tells of a change or a defect
    is_change: bool = False
    # true if it asks how something is used or what it does, which documentation may answer
    is_asked: bool = False
    # true for a text that is read by its parts, as a report is
    in_parts: bool = False
    # files that a report names
    files: tuple[FileMention, ...] = ()

    @property
    def terms(self) -> tuple[str, ...]:
        """All terms that a hit may match, in the query's order."""
        found = dict.fromkeys(
            term for word in self.words for term in (word.term, *word.parts) if term not in STOP
        )
        return tuple(found) or tuple(word.term for word in self.words)

    @property
    def content(self) -> tuple[str, ...]:
        """The words that say what is sought; none if an identifier is among them."""
        if any(word.parts for word in self.words):
            return ()
        return tuple(word.term for word in self.words if word.term not in FAINT)

    def with_terms(self, terms: Iterable[str], weight: float = FORM) -> Query:
        """The query with more words, each with this weight."""
        known = {word.term for word in self.words}
        more = tuple(QueryWord(term, weight) for term in terms if term not in known)
        return replace(self, words=self.words + more)


def parse_words(text: str) -> Query:
    """Parses a query, the beginning of a long one; one without any word is a Problem."""
    text = text[:MAX_QUERY]
    message = _without_kind(text)
    has_kind, text = message != text, message
    words = parse_terms(text)[:MAX_TERMS]
    if not words:
        raise Problem(
            "argument_invalid", "query has no word to search for: use mode literal for symbols"
        )
    written = _WORD.findall(text)
    kinds = requested_kinds(frozenset(word.term for word in words))
    areas = _areas(text)
    leading = frozenset().union(*areas)
    faint_weight = FAINT_WEIGHT if len(words) >= FEWEST_WORDS else 1.0
    styles = [normalize_name(word.term) for word in words if "_" in word.term.strip("_")]
    return Query(
        tuple(_weigh(word, leading, faint_weight) for word in words),
        tuple(dict.fromkeys(styles)),
        _name(written),
        kinds,
        parse_name(text),
        is_import=_IMPORT.match(text) is not None,
        areas=areas,
        text=text,
        is_change=bool(areas) or has_kind or _speaks_of_change(written),
        is_asked=len(written) <= _MOST_ASKED and _ASKED.match(text) is not None,
    )


def parse_name(text: str) -> Name | None:
    """The query as a name; None if it is no name."""
    found = _WRITTEN_NAME.fullmatch(text.strip())
    if found is None:
        return None
    *within, written = _JOINT.split(found["name"].lstrip("$@"))
    return Name(written, tuple(within), found["keyword"] or "") if written else None


def parse_request(text: str) -> Query:
    """Parses a text of any length."""
    return _parse_parts(text[:MAX_REQUEST]) if has_parts(text) else parse_words(text)


def is_report(text: str) -> bool:
    """True for a text of many words, or with a trace: it tells more than it asks."""
    return len(text.split()) >= _FEWEST_TOLD or _TRACE.search(text) is not None


def has_parts(text: str) -> bool:
    """True for a text of several lines with words, or of many words: it has a title, and more."""
    rows = islice(filter(_WORDS.search, text.split("\n")), 2)
    return len([*rows]) > 1 or len(text.split()) >= _FEWEST_IN_PARTS


def _parse_parts(text: str) -> Query:
    """The words of a text, each with the weight of the parts that it stands in."""
    from repo_mcp.question.report import read_report  # noqa: PLC0415 few queries are reports

    report = read_report(text)
    words: dict[str, QueryWord] = {}
    parts = (
        (report.title, _TITLE),
        (report.names, _NAMES),
        (report.prose, _PROSE),
        (report.rest, _REST),
    )
    for part, weight in parts:
        for word in parse_terms(part):
            if weight < _TITLE and word.term.isdecimal():  # times, lines and counts of logs
                continue
            known = words.get(word.term) or QueryWord(word.term, 0.0, word.parts)
            more = weight * _worth(word, FAINT_WEIGHT)
            words[word.term] = replace(known, weight=known.weight + more)
    heaviest = frozenset(sorted(words, key=lambda term: -words[term].weight)[:MAX_TERMS])
    query = parse_words(report.title if _WORDS.search(report.title) else text)
    return replace(
        query,
        words=tuple(word for term, word in words.items() if term in heaviest),
        joined=(),
        name="",
        written_name=None,
        is_import=False,
        is_change=True,
        is_asked=False,
        in_parts=True,
        files=report.files,
    )


def _worth(word: QueryTerm, faint_weight: float) -> float:
    return (WHOLE if word.parts else 1.0) * (faint_weight if word.term in FAINT else 1.0)


def _weigh(word: QueryTerm, leading: frozenset[str], faint_weight: float) -> QueryWord:
    weight = _worth(word, faint_weight) * (1 + math.log(word.times))
    return QueryWord(word.term, weight, word.parts, word.term in leading)


def _speaks_of_change(written: Sequence[str]) -> bool:
    """True if these words are of a message or a report, and not of a description of code."""
    lower = [word.lower() for word in written]
    return not (CHANGE_VERBS.isdisjoint(lower[:1]) and CHANGE_WORDS.isdisjoint(lower))


def _without_kind(text: str) -> str:
    """A message without the kind of its change; its area stays, before a colon."""
    kind = _CHANGE_KIND.match(text)
    if kind is None or kind.end() == len(text):
        return text
    summary = text[kind.end() :]
    return f"{kind[1]}: {summary}" if kind[1] else summary


def _areas(text: str) -> tuple[frozenset[str], ...]:
    areas = _AREAS.match(text)
    if areas is None:
        return ()
    found = (frozenset(terms_of_words(part)) for part in _AREA_END.split(areas[0]))
    return tuple(filter(None, found))


def split_word(word: QueryWord) -> list[QueryWord]:
    """The parts of a word as separate words, with lower weights."""
    return [QueryWord(part, PART * word.weight / WHOLE) for part in word.parts if part not in STOP]


def _name(words: Sequence[str]) -> str:
    joined = normalize_name("".join(words))
    return joined if len(words) <= _MAX_NAME_WORDS and len(joined) <= MAX_WORD else ""
