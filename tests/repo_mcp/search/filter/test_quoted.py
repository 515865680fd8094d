"""Phrase queries: every hit shows the phrase, and every file with the phrase is found."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from code_graph.facts import DeclarationSpan
from repo_mcp.budget import Budget
from repo_mcp.model import SearchAnswer
from repo_mcp.question.syntax.tree import Phrase
from repo_mcp.search.filter.phrases import find_phrase, lines_near_phrase
from repo_mcp.search.passage.narrowing import narrow_to_passage
from repo_mcp.search.passage.term_matcher import TermMatcher
from repo_mcp.search.ranked import candidates
from repo_mcp.search.ranked.engine import RankedEngine
from repo_mcp.text.files import Rows
from tests.repo_mcp.trees import FOREVER, Services, served, write

FILLER = "\n".join(f"filler line {number}" for number in range(600))
# number of files that have both words often, but not the phrase
DECOYS = 70


@pytest.fixture
def services(tmp_path: Path) -> Services:
    decoys = {f"decoy{number}.txt": "cache\nvictim of\n" * 5 for number in range(DECOYS)}
    tree: dict[str, str | bytes] = {
        **decoys,
        "far.txt": f"victim\nvictim\nvictim\n{FILLER}\na Victim  Cache here\n",
        "twice.txt": f"the victim cache\n{FILLER}\nno cache\n{FILLER}\nthe victim cache again\n",
        "other.txt": "an owner\n",
    }
    found = served(write(tmp_path / "root", tree), tmp_path / "data")
    found.manager.refresh(FOREVER, force=False)
    return found


def ask(services: Services, query: str, budget: Budget = FOREVER) -> SearchAnswer:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    return RankedEngine(services.sandbox, services.languages).search(
        snapshot, query, 10, None, budget
    )


def test_every_hit_of_a_phrase_shows_it_once(services: Services) -> None:
    found = ask(services, '"victim cache"')
    assert not found.warnings
    assert sorted((hit.path, hit.start_line, hit.end_line) for hit in found.hits) == [
        ("far.txt", 602, 604),
        ("twice.txt", 1, 3),
        ("twice.txt", 1201, 1203),
    ]
    assert all("victim cache" in " ".join(hit.snippet.lower().split()) for hit in found.hits)


def test_hits_of_several_looks_are_in_the_order_of_their_scores(services: Services) -> None:
    scores = [hit.score for hit in ask(services, '"victim cache"').hits]
    assert scores == sorted(scores, reverse=True)


def test_further_passages_of_a_file_score_no_more_than_its_first_ones(tmp_path: Path) -> None:
    blocks = [f"the victim cache\n{FILLER}\n"] * 8
    found = served(write(tmp_path / "root", {"many.txt": "".join(blocks)}), tmp_path / "data")
    found.manager.refresh(FOREVER, force=False)
    scores = [hit.score for hit in ask(found, '"victim cache"').hits]
    assert len(scores) == len(blocks)
    assert scores == sorted(scores, reverse=True)


def test_a_phrase_that_has_moved_in_its_file_is_found(services: Services, tmp_path: Path) -> None:
    write(tmp_path / "root", {"twice.txt": f"{FILLER}\nthe victim cache\n"})
    hits = [hit for hit in ask(services, '"victim cache"').hits if hit.path == "twice.txt"]
    assert [(hit.start_line, hit.stale) for hit in hits] == [(599, True)]


def test_no_phrase_is_needed_if_another_part_of_an_or_holds(services: Services) -> None:
    found = ask(services, '"victim cache" OR owner')
    assert {hit.path for hit in found.hits} == {"far.txt", "twice.txt", "other.txt"}


def test_an_excluded_phrase_does_not_attract_passages(services: Services) -> None:
    found = ask(services, 'filler NOT "cache again"')
    assert {hit.path for hit in found.hits} == {"far.txt"}
    assert all("filler" in hit.snippet for hit in found.hits)


def test_phrases_that_were_not_looked_for_everywhere_are_a_warning(services: Services) -> None:
    found = ask(services, '"cache victim owner" OR "victim cache"', Budget(0.0))
    assert any(item.code == "phrase" for item in found.warnings)
    assert not any("nothing fulfils" in item.text for item in found.warnings)


def test_a_phrase_of_common_words_is_found_though_others_have_them_more_often(
    tmp_path: Path,
) -> None:
    """More chunks have the words than are scored completely for the rarest of them."""
    many = "\n".join(f"return the value {number % 7}" for number in range(60))
    tree: dict[str, str | bytes] = {f"src/{n}.txt": f"{many}\n" for n in range(300)}
    tree["return/value.txt"] = "nothing\n"
    tree["src/here.txt"] = f"{FILLER}\nthe returned is the return value of it\n{FILLER}\n"
    found = served(write(tmp_path / "root", tree), tmp_path / "data")
    found.manager.refresh(FOREVER, force=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "_PLACES", 100)
        (hit,) = ask(found, '"return value"').hits
    assert (hit.path, "the return value" in hit.snippet) == ("src/here.txt", True)


WORDS = ["return", "0", "the", "int", "xyzzy", "fooBar", "if", "\u00fcber"]
BETWEEN = [" ", " ", "  ", "\n", "\n\n", "\t", "(", ", ", " = "]
PHRASES = [
    *("return 0", "the int", "0 the", "int xyzzy", "xyzzy fooBar", "the xyzzy 0", "int \u00fcber"),
    *("return 0 if", "if (return", "Return  THE", "0, the", "the fooBar(0 int", "nowhere at all"),
]


def some_text(chance: random.Random) -> str:
    return "".join(
        chance.choice(WORDS) + chance.choice(BETWEEN) for _ in range(chance.randrange(60))
    )


def paths_with(texts: Mapping[str, str], phrase: str) -> set[str]:
    """Files that hold a phrase, by reading all."""
    return {path for path, text in texts.items() if find_phrase(text, Phrase(phrase))}


def ask_for_all(services: Services, query: str) -> SearchAnswer:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    engine = RankedEngine(services.sandbox, services.languages)
    return engine.search(snapshot, query, 500, None, FOREVER)


@pytest.mark.parametrize("compiled", [True, False])
def test_phrases_are_found_in_the_files_that_hold_them_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, compiled: bool
) -> None:
    if not compiled:
        monkeypatch.setattr("repo_mcp.search.filter.phrases.NATIVE", None)
        monkeypatch.setattr("repo_mcp.search.passage.narrowing.NATIVE", None)
    chance = random.Random(69)
    texts = {f"f{number}.txt": some_text(chance) for number in range(60)}
    texts |= {"utf16.txt": "the return 0 of it", "bom.txt": "\ufeffreturn\u00a00"}
    stored: dict[str, str | bytes] = {**texts, "utf16.txt": texts["utf16.txt"].encode("utf-16")}
    root = write(tmp_path / "root", stored)
    services = served(root, tmp_path / "data")
    services.manager.refresh(FOREVER, force=False)
    for phrase in PHRASES:
        answer = ask_for_all(services, f'"{phrase}"')
        assert {hit.path for hit in answer.hits} == paths_with(texts, phrase), phrase
    for number in range(0, 60, 3):
        texts[f"f{number}.txt"] = some_text(chance)
        write(root, {f"f{number}.txt": texts[f"f{number}.txt"]})
    for phrase in PHRASES:
        answer = ask_for_all(services, f'"{phrase}"')
        assert {hit.path for hit in answer.hits} <= paths_with(texts, phrase)


LINES = st.integers(1, 900)


@given(st.sets(LINES, max_size=8), st.sets(LINES), LINES, LINES)
def test_lines_beside_a_phrase_hold_one_that_was_not_shown(
    quoted: set[int], shown: set[int], one: int, other: int
) -> None:
    first, last = sorted((one, other))
    found = lines_near_phrase(sorted(quoted), shown, first, last, 900)
    assert (found is None) == (quoted <= shown)
    if found is not None:
        assert found.lines
        assert set(found.lines) <= quoted - shown
        assert 1 <= found.first <= found.lines[0]
        assert found.lines[-1] <= found.last <= 900


def test_a_phrase_decides_which_declaration_is_shown() -> None:
    text = [
        "def cache(victim):",
        *["    cache"] * 20,
        "def other():",
        "    'victim cache'",
        "    x",
    ]
    places = [DeclarationSpan("cache", 1, 21), DeclarationSpan("other", 22, 24)]
    telling = TermMatcher({"victim": 1.0, "cache": 1.0}, "cache")
    found = narrow_to_passage(Rows("\n".join(text).encode()), 1, 24, telling, places, [23])
    assert (found.symbol, found.start, found.end) == ("other", 22, 24)
