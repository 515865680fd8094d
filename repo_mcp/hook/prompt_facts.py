"""Facts about what a prompt names: its symbols, files, frames, messages, routes and settings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile
from typing import Final

from code_graph.paths.name_places import with_dots
from code_graph.query.edges import reference_count
from code_graph.query.model import FUNCTIONS, TYPES, VALUES
from code_graph.query.names import chunks_named, symbols_named
from code_graph.store.terms import last_name
from code_graph.whole_word import whole_word
from index_format.analysis.words import folded
from repo_mcp.budget import Budget
from repo_mcp.hook.fact import Fact, write_facts
from repo_mcp.hook.place_facts import (
    file_fact,
    forms_of_route,
    frame_facts,
    routes_in,
    text_fact,
)
from repo_mcp.hook.stored import StoredIndex
from repo_mcp.hook.symbol_facts import expression_fact, symbol_fact
from repo_mcp.hook.weights import FactLimits, WordLimits
from repo_mcp.question.keywords import Keyword, extract_keywords
from repo_mcp.question.messages import literal_parts
from repo_mcp.question.parse import parse_prompt
from repo_mcp.question.weights import KeywordWeights
from repo_mcp.stored import BODY

SUBJECT: Final = "about names in the message above"
_ENDINGS: Final = ("s", "es", "ed", "d", "ing", "er")
# what has an article or the like before it is a noun of the language, and behind it a verb
_ARTICLE: Final = r"(?:an?|the|th(?:is|at|ese|ose)|my|our|your|its?|me|us|them|all|every|each)"
_FLAG: Final = re.compile(r"(?<!\S)--[A-Za-z][\w-]+")
# what clients put before a path that a person has chosen from a list
_CHOSEN: Final = re.compile(r"(?<!\S)@(?=[\w./-])")


def prompt_facts(index: StoredIndex, own: str, budget: Budget) -> tuple[str, list[Fact]]:
    """The text to say about a person's own words, and the facts in it; empty if there are none."""
    own = _CHOSEN.sub("", own)
    keywords = extract_keywords(parse_prompt(own))
    return write_facts(SUBJECT, _until(budget, _facts(index, own, keywords, budget)))


def _until(budget: Budget, facts: Iterator[Fact]) -> Iterator[Fact]:
    """Facts while there is time, each once."""
    known: set[str] = set()
    for fact in facts:
        if fact.lines[0] not in known:
            known.add(fact.lines[0])
            yield fact
        if budget.spent:
            return


def _facts(
    index: StoredIndex, prompt: str, keywords: Sequence[Keyword], budget: Budget
) -> Iterator[Fact]:
    """The facts in the order of what tells most, and takes the least time.

    A name that many symbols have tells least, and takes most.
    """
    frames = [item for item in keywords if item.kind == "frame"]
    yield from frame_facts(index, frames[: FactLimits.FRAMES])
    paths = [item.text for item in keywords if item.kind == "path"]
    named = {frame.text for frame in frames}
    for path in paths[: FactLimits.FILES]:
        if path not in named and (fact := file_fact(index, path)):
            named.add(path)
            yield fact
    rest = _without({*named, *filter(_has_folder, paths)}, prompt)
    written, undeclared = _written_names(keywords, rest), list[str]()
    for name in sorted(written, key=lambda name: _count_named(index, name)):
        is_marked = written[name] >= KeywordWeights.MARKED
        fact = symbol_fact(index, name)
        if fact := fact or expression_fact(index, name, budget, is_marked=is_marked):
            yield fact
        else:
            undeclared.append(name)
    words = takewhile(lambda _: not budget.spent, _plain_words(keywords, rest))
    plain = (word for word in words if _names_something(index, word))
    for word in islice(plain, FactLimits.SYMBOLS - len(written)):
        if fact := symbol_fact(index, word):
            yield fact
    for texts in _texts(prompt, keywords, undeclared):
        if budget.spent:
            return
        if fact := text_fact(index, texts, budget):
            yield fact


def _count_named(index: StoredIndex, name: str) -> int:
    """At most so many symbols have a name."""
    graph = index.graph
    return 0 if graph is None else len(chunks_named(graph, last_name(with_dots(name)))[0])


def _without(paths: Iterable[str], prompt: str) -> str:
    for path in sorted(paths, key=len, reverse=True):
        prompt = prompt.replace(path, " ")
    return prompt


def _written_names(keywords: Sequence[Keyword], rest: str) -> dict[str, float]:
    """The names that are written as names outside of paths, with weights, the surest ones first."""
    names = {
        item.text: item.weight
        for item in keywords
        if item.kind == "identifier"
        and item.weight > KeywordWeights.CAPITAL
        and _stands_in(item.text, rest)
    }
    # a frame of the kernel names no file
    names |= {item.function: item.weight for item in keywords if item.function and not item.line}
    whole = [name for name in names if not any(_is_end_of(name, other) for other in names)]
    first = sorted(whole, key=lambda name: -names[name])[: FactLimits.SYMBOLS]
    return {name: names[name] for name in first}


def _plain_words(keywords: Sequence[Keyword], rest: str) -> list[str]:
    """The words without a mark of code that may be names as they stand in their sentence."""
    capital = (
        item.text
        for item in keywords
        if item.kind == "identifier" and item.weight <= KeywordWeights.CAPITAL
    )
    small = (item.text for item in keywords if item.kind == "word")
    words = dict.fromkeys([*capital, *(word for word in small if _stands_in(word, rest.lower()))])
    return [word for word in words if not _is_prose(word, rest)][: WordLimits.WORDS]


def _has_folder(path: str) -> bool:
    return "/" in path


def _stands_in(name: str, text: str) -> bool:
    return whole_word(name).search(text) is not None


def _is_prose(word: str, text: str) -> bool:
    word = re.escape(word)
    around = rf"\b(?:{_ARTICLE}\s+{word}|{word}\s+{_ARTICLE})\b"
    return re.search(around, text, re.IGNORECASE) is not None


def _is_end_of(name: str, other: str) -> bool:
    """True of the last part of a qualified name, which is looked up as a whole."""
    return len(other) > len(name) and other.endswith(
        (f".{name}", f":{name}", f">{name}", f"#{name}")
    )


def _names_something(index: StoredIndex, word: str) -> bool:
    """True of a word without a mark of code that is mostly a name where this repository has it.

    One with a capital within a sentence is the name of a type. Of others the words of the index are
    asked first, which costs the least.
    """
    graph, occurrences = index.graph, 0
    if graph is None:
        return False
    is_capital = word[:1].isupper()
    if not is_capital:
        occurrences = _occurrences(index, word)
        if not occurrences or len(word) < WordLimits.SHORTEST:
            return False
        forms = {word + ending for ending in _ENDINGS}
        forms |= {word.removesuffix(ending) for ending in _ENDINGS} - {word}
        most = WordLimits.INFLECTED * occurrences
        if sum(_occurrences(index, form) for form in forms) > most:
            return False
    symbols, more = symbols_named(graph, word, WordLimits.NAMESAKES)
    if is_capital:
        return any(symbol.node_type in TYPES for symbol in symbols)
    symbols = [symbol for symbol in symbols if symbol.node_type in {*TYPES, *FUNCTIONS, *VALUES}]
    uses = sum(reference_count(graph, symbol.id) + 1 for symbol in symbols)
    return bool(symbols) and not more and uses >= WordLimits.MEANT * occurrences


def _occurrences(index: StoredIndex, word: str) -> int:
    field = index.text.schema.number(BODY)
    term = folded(word).encode("utf-8", "surrogatepass")
    return 0 if field is None else index.text.counts(index.text.postings(field, term))[1]


def _texts(
    prompt: str, keywords: Sequence[Keyword], undeclared: Sequence[str]
) -> list[Sequence[str]]:
    """Texts that code may have, each with shorter forms of it.

    They are messages, routes, quotes, and keys of settings, which nothing declares.
    """
    messages = [literal_parts(item.text) for item in keywords if item.kind == "error"]
    routes = [forms_of_route(route) for route in routes_in(prompt)]
    others = [item.text for item in keywords if item.kind == "quoted"]
    others += [*_FLAG.findall(prompt), *undeclared]
    texts: list[Sequence[str]] = [*messages, *routes]
    texts += ([text] for text in dict.fromkeys(others))
    return [forms for forms in texts if forms][: FactLimits.TEXTS]
