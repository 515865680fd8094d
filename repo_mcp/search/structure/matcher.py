"""A pattern that is ready to be searched for: its languages, and the words of files that match."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.processes.pool import ProcessPool
from repo_mcp.search.dictionary.needles import Clause
from repo_mcp.search.exact.candidates import Required
from repo_mcp.search.exact.pattern import MAX_LITERAL
from repo_mcp.search.exact.query import ExactQuery
from repo_mcp.search.regex.needles import required_clauses
from repo_mcp.search.regex.tree import literal
from repo_mcp.search.structure.jobs import AnalysisJob, run_jobs
from repo_mcp.search.structure.languages import choose, language_of, listed

_ADVICE: Final = (
    "A pattern is one piece of code, an expression, a statement or a declaration, in which $NAME"
    " stands for one node and $$$ for any number of them, e.g. foo($A, $$$)"
)


class LanguagePattern(NamedTuple):
    """The pattern in one language.

    `kind` is the grammar's name for it; a file without all texts has no match.
    """

    kind: str
    texts: tuple[re.Pattern[str], ...]
    required: Required


class StructureMatcher:
    """A pattern in the languages in which it is one."""

    def __init__(
        self, query: ExactQuery, languages: dict[str, LanguagePattern], refused: dict[str, str]
    ) -> None:
        self.pattern = query.patterns[0]
        self.languages = languages
        # the other languages that were asked for, with the reason
        self.refused = refused

    def groups(self) -> list[tuple[Required, Callable[[str], bool]]]:
        """The clauses that the index is asked for, and the files that each is about."""
        alike: dict[tuple[Sequence[Clause], ...], tuple[Required, set[str]]] = {}
        for name, found in self.languages.items():
            alike.setdefault(tuple(found.required), (found.required, set()))[1].add(name)
        return [(required, _is_one_of(names)) for required, names in alike.values()]

    def may_match(self, name: str, text: str) -> bool:
        """True if a text of a language has all that each match has."""
        return all(item.search(text) for item in self.languages[name].texts)

    def describe(self, paths: Iterable[str]) -> str:
        """The reading of the pattern in the languages that files have; empty without any."""
        names = dict.fromkeys(map(language_of, paths))
        read = [
            f"{self.languages[name].kind} of {name}" for name in names if name in self.languages
        ]
        unread = [name for name in names if name in self.refused]
        parts = [f"the pattern is a {listed(read)}"] if read else []
        parts += [f"it is no code of {listed(unread)}"] if unread else []
        return "; ".join(parts)


def prepare(query: ExactQuery, pool: ProcessPool, budget: Budget) -> StructureMatcher:
    """The matcher of a query; a pattern that is none in any of its languages is a `Problem`."""
    pattern = query.patterns[0]
    if not 0 < len(pattern.strip()) <= MAX_LITERAL:
        raise Problem("argument_invalid", f"a pattern has 1 to {MAX_LITERAL} characters")
    try:
        pattern.encode("utf-8")
    except UnicodeEncodeError:
        raise Problem("argument_invalid", "the pattern has a lone surrogate") from None
    names = choose(query.languages)
    job = AnalysisJob(pattern, names)
    done = run_jobs(pool, [job], budget)
    budget.check()
    if job not in done:
        raise Problem("workers_end")
    languages: dict[str, LanguagePattern] = {}
    refused: dict[str, str] = {}
    for name, (reason, kind, texts) in done[job].items():
        if reason:
            refused[name] = reason
        else:
            languages[name] = _language_pattern(kind, [(text, is_name) for text, is_name in texts])
    if not languages:
        raise Problem("argument_invalid", _explain(refused))
    return StructureMatcher(query, languages, refused)


def _explain(refused: dict[str, str]) -> str:
    """The problem of a pattern that can't be parsed."""
    if len(refused) > len(choose(())) // 2:
        reason = max(set(refused.values()), key=[*refused.values()].count)
        return f"the pattern is no code of any language: {reason}. {_ADVICE}"
    reasons = listed(f"in {name} {reason}" for name, reason in refused.items())
    return f"the pattern can't be searched for: {reasons}. {_ADVICE}"


def _is_one_of(names: set[str]) -> Callable[[str], bool]:
    return lambda path: language_of(path) in names


def _language_pattern(kind: str, texts: Sequence[tuple[str, bool]]) -> LanguagePattern:
    distinct = list(dict.fromkeys(texts))
    found = tuple(
        re.compile(_expression(text, is_name=is_name), re.ASCII) for text, is_name in distinct
    )
    lines = [line for text, is_name in distinct for line in _lines(text, is_name=is_name)]
    return LanguagePattern(kind, found, [line for line in dict.fromkeys(lines) if line])


def _expression(text: str, *, is_name: bool) -> str:
    """The needles of a file with a leaf of this text.

    A name ends where its word ends, and begins there or after a number (`1if`).
    """
    escaped = re.escape(text)
    plain = is_name and re.fullmatch(r"[A-Za-z_]\w*", text, re.ASCII)
    return (
        rf"(?<![0-9A-Za-z_])(?:[0-9][0-9A-Za-z_]*)?{escaped}(?![0-9A-Za-z_])" if plain else escaped
    )


def _lines(text: str, *, is_name: bool) -> Iterator[tuple[Clause, ...]]:
    """The clauses of each line of a leaf's text, which may be on any line of the file."""
    rows = text.split("\n")
    last = len(rows) - 1
    for number, row in enumerate(rows):
        yield required_clauses(
            literal(row, folded=False),
            left=number > 0,
            right=is_name or number < last,
        )
