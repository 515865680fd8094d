"""Ranked search: order, passages from the current files, and deterministic answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.model import SearchAnswer
from repo_mcp.search.ranked.engine import RankedEngine
from tests.repo_mcp.trees import FOREVER, Services, served, write

FILLER = "\n".join(f"filler line {number}" for number in range(150))
TREE: dict[str, str | bytes] = {
    "src/parser.py": f"{FILLER}\ndef parseHTTPHeader(raw):\n    return raw.split(':')\n{FILLER}\n",
    "src/other.py": "the header of a table\n",
    "docs/guide.md": "How to parse a header:\n\nuse the parser.\n",
    "long.py": "\n".join(["needle = 1", *(["nothing"] * 500), "needle = 2"]),
    "zero/needle.txt": "not a word about it\n",
}


@pytest.fixture
def services(tmp_path: Path) -> Services:
    found = served(write(tmp_path / "root", TREE), tmp_path / "data")
    found.manager.refresh(FOREVER, force=False)
    return found


def ask(services: Services, query: str, top_k: int = 10, glob: str | None = None) -> SearchAnswer:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    return RankedEngine(services.sandbox, services.languages).search(
        snapshot, query, top_k, glob, FOREVER
    )


def paths(answer: SearchAnswer) -> list[str]:
    return [hit.path for hit in answer.hits]


def test_an_identifier_is_found_whole_and_narrowed_to_its_lines(services: Services) -> None:
    hit = ask(services, "parseHTTPHeader").hits[0]
    assert (hit.path, hit.start_line, hit.end_line) == ("src/parser.py", 151, 152)
    assert hit.matched_terms == ("parsehttpheader", "parse", "http", "header")
    assert "def parseHTTPHeader(raw):" in hit.snippet.split("\n")


@pytest.mark.parametrize("query", ["http", "HTTP", "Http"])
def test_an_identifier_is_found_by_its_parts(services: Services, query: str) -> None:
    assert paths(ask(services, query))[0] == "src/parser.py"


def test_hits_are_in_order_of_score_and_carry_it(services: Services) -> None:
    scores = [hit.score for hit in ask(services, "parse header").hits]
    assert len(scores) > 2
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0


def test_a_word_of_the_path_counts(services: Services) -> None:
    assert set(paths(ask(services, "needle"))) == {"long.py", "zero/needle.txt"}


def test_chunks_that_touch_become_one_hit(services: Services, tmp_path: Path) -> None:
    write(tmp_path / "root", {"many.py": "\n".join(["marker"] * 1000)})
    services.manager.refresh(FOREVER, force=False)
    found = ask(services, "marker")
    assert paths(found) == ["many.py"]


def test_hits_far_apart_in_one_file_stay_two(services: Services) -> None:
    found = [hit for hit in ask(services, "needle").hits if hit.path == "long.py"]
    assert sorted((hit.start_line, hit.end_line) for hit in found) == [(1, 3), (500, 502)]


def test_top_k_is_kept(services: Services) -> None:
    assert len(ask(services, "header needle filler", top_k=2).hits) == 2


@pytest.mark.parametrize(
    ("glob", "expected"),
    [("*.md", {"docs/guide.md"}), ("src/**", {"src/parser.py", "src/other.py"}), ("*.c", set())],
)
def test_a_glob_narrows_the_search(services: Services, glob: str, expected: set[str]) -> None:
    assert set(paths(ask(services, "header", glob=glob))) == expected


@pytest.mark.parametrize("query", ["", "  ", "...", "_", "a" * 2001])
def test_a_question_without_words_is_refused(services: Services, query: str) -> None:
    with pytest.raises(Problem, match="query"):
        ask(services, query)


def test_equal_queries_get_equal_answers_regardless_of_index_history(
    services: Services, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    before = ask(services, "parse header needle")
    for text in ("one", "two header"):
        write(root, {"src/other.py": text, "extra.py": text})
        services.manager.refresh(FOREVER, force=False)
    (root / "extra.py").unlink()
    write(root, {"src/other.py": TREE["src/other.py"]})
    services.manager.refresh(FOREVER, force=False)
    assert ask(services, "parse header needle") == before
    fresh = served(root, tmp_path / "fresh")
    fresh.manager.refresh(FOREVER, force=False)
    assert ask(fresh, "parse header needle") == before


def test_a_changed_file_is_shown_as_it_is_and_marked(services: Services, tmp_path: Path) -> None:
    write(tmp_path / "root", {"docs/guide.md": "\n\n\nnow the header is here\n"})
    found = ask(services, "header", glob="*.md")
    hit = found.hits[0]
    assert (hit.start_line, hit.snippet, hit.stale) == (4, "now the header is here", True)
    assert any("changed" in item.text for item in found.warnings)
    assert [hit.stale for hit in ask(services, "needle").hits] == [False, False, False]


@pytest.mark.parametrize("change", ["gone", "without the word", "binary", "link", "folder"])
def test_hits_in_missing_or_changed_files_are_left_out(
    services: Services, tmp_path: Path, change: str
) -> None:
    path = tmp_path / "root" / "docs" / "guide.md"
    path.unlink()
    if change == "without the word":
        path.write_text("nothing", encoding="utf-8")
    elif change == "binary":
        path.write_bytes(b"header\x00")
    elif change == "link":
        path.symlink_to(tmp_path / "root" / "src" / "parser.py")
    elif change == "folder":
        path.mkdir()
    found = ask(services, "header", glob="*.md")
    assert found.hits == ()
    assert any("left out" in item.text for item in found.warnings)


def test_a_passage_of_a_changed_file_is_shown_once(services: Services, tmp_path: Path) -> None:
    changed = tmp_path / "root" / "long.py"
    changed.write_text(f"{changed.read_text(encoding='utf-8')}\nmore\n", encoding="utf-8")
    found = ask(services, "needle", glob="*.py")
    assert [(hit.stale, hit.start_line, hit.end_line) for hit in found.hits] == [(True, 1, 3)]
    (text,) = [item.text for item in found.warnings if item.code == "stale"]
    assert text.startswith("1 file changed")


def test_of_frequent_words_any_is_enough_within_a_glob(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.search.ranked.candidates._PLACES", 3)
    files: dict[str, str | bytes] = {f"a{at}.txt": "alpha beta\n" for at in range(9)}
    files |= {"b.txt": "beta\n", "docs/a.txt": "alpha rows\n", "docs/b.txt": "beta columns\n"}
    found = served(write(tmp_path / "frequent", files), tmp_path / "others")
    found.manager.refresh(FOREVER, force=False)
    expected = {"docs/a.txt", "docs/b.txt"}
    assert set(paths(ask(found, "alpha beta", glob="docs/**"))) == expected


def test_dropped_hits_are_replaced_by_the_next_ones(services: Services, tmp_path: Path) -> None:
    everything = paths(ask(services, "header"))
    (tmp_path / "root" / everything[0]).unlink()
    assert paths(ask(services, "header", top_k=2)) == everything[1:3]


def test_long_lines_are_cut_and_marked(services: Services, tmp_path: Path) -> None:
    write(tmp_path / "root", {"min.js": "header " + "x" * 5000})
    services.manager.refresh(FOREVER, force=False)
    snippet = ask(services, "header", glob="*.js").hits[0].snippet
    assert len(snippet) < 400
    assert snippet.endswith("…")


def test_a_cancelled_search_stops(services: Services) -> None:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    with pytest.raises(Problem, match="cancelled"):
        RankedEngine(services.sandbox, services.languages).search(
            snapshot, "header", 5, None, Budget(None, lambda: True)
        )
