"""Search without an index: reads files within its time budget, and says what it left out."""

from __future__ import annotations

import errno
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

from index_format.analysis.words import folded
from repo_mcp import side_files
from repo_mcp.app import App
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.model import SearchHit
from repo_mcp.question.terms import weigh_terms
from repo_mcp.search.unindexed import ScannedFiles, scan_unindexed, show_scanned
from repo_mcp.services import services
from repo_mcp.settings.load import Options
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.trees import FOREVER, sandbox, write

TREE: dict[str, str | bytes] = {
    "src/parser.py": "import re\n\n\ndef parseHTTPHeader(raw):\n    return raw.split(':')\n",
    "src/other.py": "a = 1\nheader = 2\n",
    "docs/header.md": "nothing about it\n",
    "far.txt": "\n".join(["filler"] * 60 + ["the needle"] + ["filler"] * 60),
    "binary.txt": b"needle\x00",
    "empty.txt": "",
    ".env": "needle = secret",
    "id_rsa": "needle",
    ".gitignore": "ignored.txt\nbuild/\n",
    "ignored.txt": "needle",
    "build/made.txt": "needle",
}


class Steps(Budget):
    """A budget that is spent after a number of checks."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        self.left = steps

    def within(self, seconds: float) -> Budget:  # noqa: ARG002 steps are its clock
        return self

    @property
    def spent(self) -> bool:
        self.left -= 1
        return self.left < 0


def scanned(root: Path, question: str, budget: Budget = FOREVER) -> ScannedFiles:
    paths = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
    return scan_unindexed(sandbox(root), paths, question, budget)


def hits_of(
    root: Path, question: str, top_k: int = 10, budget: Budget = FOREVER
) -> tuple[SearchHit, ...]:
    found = scanned(root, question, budget)
    return show_scanned(sandbox(root), found.ranked, question, top_k, FOREVER)


def shown(hits: tuple[SearchHit, ...]) -> list[tuple[str, int, int]]:
    return [(hit.path, hit.start_line, hit.end_line) for hit in hits]


def test_a_hit_has_the_lines_around_the_word(tmp_path: Path) -> None:
    root = write(tmp_path, {"far.txt": TREE["far.txt"]})
    (hit,) = hits_of(root, "needle")
    assert shown((hit,)) == [("far.txt", 59, 63)]
    assert hit.snippet == "filler\nfiller\nthe needle\nfiller\nfiller"
    assert scanned(root, "needle").corpus.files == 1


def test_code_comes_before_documents_that_hold_as_much(tmp_path: Path) -> None:
    hits = hits_of(write(tmp_path, TREE), "parseHTTPHeader")
    assert [hit.path for hit in hits] == ["src/parser.py", "src/other.py", "docs/header.md"]
    assert hits[0].matched_terms == ("parsehttpheader", "parse", "http", "header")
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)


def test_words_that_only_contain_the_term_do_not_take_a_place(tmp_path: Path) -> None:
    """As many files as are returned have the term inside a word, and come first by path."""
    files: dict[str, str | bytes] = {f"a{number}.txt": "concatenate" for number in range(40)}
    hits = hits_of(write(tmp_path, {**files, "z.txt": "a cat"}), "cat", top_k=1)
    assert shown(hits) == [("z.txt", 1, 1)]


@pytest.mark.parametrize(
    ("written", "question"),
    [
        ("Ähre und Halm", "ähre"),
        ("ÄHRE", "Ähre"),
        ("\u039f\u0394\u039f\u03a3.\u0391", "\u03bf\u03b4\u03bf\u03c2"),
        ("Größe_Σ_x", "größe"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_letters_of_any_script_and_encoding(
    tmp_path: Path, written: str, question: str, encoding: str
) -> None:
    write(tmp_path, {"a.txt": f"one\n{written}\n".encode(encoding)})
    (hit,) = hits_of(tmp_path, question)
    assert written in hit.snippet


def test_latin_1_is_read_as_it_is_shown(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "Straße\n".encode("latin-1")})
    assert shown(hits_of(tmp_path, "straße")) == [("a.txt", 1, 1)]


WORDS = st.sampled_from(["cat", "dog", "catDog", "concat", "Σ", "ΔΣ", "xΣ.Δ", "Ä", "cat_dog"])


TEXTS = st.lists(WORDS, max_size=4).map(" ".join)
QUESTIONS = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)


@given(st.lists(TEXTS, max_size=8), QUESTIONS)
@example(["concat dog", "cat dog"], "cat dog")
def test_files_are_ranked_by_bm25_over_all_that_were_read(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], question: str
) -> None:
    """The oracle counts each term anywhere, and knows one kind of path."""
    root = tmp_path_factory.mktemp("tree")
    write(root, {f"{number}.c": text for number, text in enumerate(texts)})
    terms = weigh_terms(question)
    written = [folded(text) for text in texts]
    sizes = [len(text.encode()) for text in texts]
    there = [
        number for number, text in enumerate(written) if any(folded(term) in text for term in terms)
    ]
    average = sum(sizes[number] for number in there) / (len(there) or 1)
    expected = {}
    for number in there:
        score = 0.0
        for term, weight in terms.items():
            holders = sum(folded(term) in text for text in written)
            idf = math.log(1 + (len(texts) - holders + 0.5) / (holders + 0.5))
            count = written[number].count(folded(term))
            length = 1.2 * (0.25 + 0.75 * sizes[number] / average)
            score += weight * idf * count / (count + length)
        expected[f"{number}.c"] = score
    found = scanned(root, question)
    assert dict(found.ranked) == pytest.approx(expected, abs=1e-3)
    scores = [score for _, score in found.ranked]
    assert scores == sorted(scores, reverse=True)
    assert found.corpus.files == len(texts)


def test_the_order_of_paths_does_not_matter(tmp_path: Path) -> None:
    root = write(tmp_path, TREE)
    paths = ["far.txt", "src/other.py", "src/parser.py", "docs/header.md"]
    answers = [
        scan_unindexed(sandbox(root), order, "header needle parse", FOREVER)
        for order in (paths, paths[::-1], [*paths[2:], *paths[:2]])
    ]
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize("steps", range(6))
def test_out_of_time_the_files_read_are_answered(tmp_path: Path, steps: int) -> None:
    files: dict[str, str | bytes] = {f"{number}.txt": "needle" for number in range(5)}
    found = scanned(write(tmp_path, files), "needle", budget=Steps(steps))
    assert found.corpus.files == min(steps, 5)
    assert {path for path, _ in found.ranked} <= set(files)
    assert bool(found.ranked) is bool(steps)


def test_passages_are_shown_while_there_is_time(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"{number}.txt": "needle" for number in range(5)}
    found = scanned(write(tmp_path, files), "needle")
    hits = show_scanned(sandbox(tmp_path), found.ranked, "needle", 5, Steps(2))
    assert len(hits) == 3


def test_files_named_like_the_question_are_read_first(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {f"{number}.txt": "needle" for number in range(5)}
    write(tmp_path, {**files, "z/needle.txt": "needle"})
    found = scanned(tmp_path, "needle", Steps(1))
    assert [path for path, _ in found.ranked] == ["z/needle.txt"]


@pytest.mark.parametrize("files", [TREE, {}], ids=["files", "no files"])
def test_a_cancelled_scan_stops(tmp_path: Path, files: dict[str, str | bytes]) -> None:
    with pytest.raises(Problem, match="cancelled"):
        scanned(write(tmp_path, files), "needle", Budget(None, lambda: True))


@pytest.mark.parametrize("question", ["", "...", "a" * 2001])
def test_a_question_without_words_is_refused(tmp_path: Path, question: str) -> None:
    with pytest.raises(Problem, match="query"):
        scanned(write(tmp_path, TREE), question)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", TREE)


def refuse(_: str) -> None:
    raise OSError(errno.EROFS, "Read-only file system")


def asked_of(
    root: Path,
    tmp_path: Path,
    asked: dict[str, object],
    *,
    cancelled: bool = False,
    step: float = 0.0,
) -> dict[str, Any]:
    app = App(Options(str(root), str(tmp_path / "data"), watch=False), Clock(step))
    app._import_answering()  # a call that is cancelled meanwhile is answered without data
    answer = app.call("repo.search", asked, lambda: cancelled)
    found: dict[str, Any] = answer["structuredContent"]
    return found


def unindexed(
    root: Path, tmp_path: Path, *, cancelled: bool = False, **asked: object
) -> dict[str, Any]:
    """The answer of a server that can't write its index."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(side_files, "prepare", refuse)
        return asked_of(root, tmp_path, asked, cancelled=cancelled)


def test_denied_and_ignored_files_are_not_read_for_an_answer(root: Path, tmp_path: Path) -> None:
    answer = unindexed(root, tmp_path, query="needle secret")
    assert [hit["path"] for hit in answer["result"]["hits"]] == ["far.txt"]
    assert "secret" not in str(answer["result"]["hits"])


def test_an_answer_from_a_scan_says_so(root: Path, tmp_path: Path) -> None:
    """Another process holds the write lock."""
    options = Options(str(root), str(tmp_path / "data"))
    with IndexManager(services(options).settings, sandbox(root)).text.store.lock(0):
        (said,) = asked_of(root, tmp_path, {"query": "needle"}, step=0.03)["warnings"]
    assert said.startswith("the index is being built")
    assert "0 indexed files and 7 of 7 others were searched" in said


def test_why_there_is_no_index_is_said(root: Path, tmp_path: Path) -> None:
    answer = unindexed(root, tmp_path, query="needle")
    assert any("the index could not be built" in text for text in answer["warnings"])
    assert any("Read-only file system" in text for text in answer["warnings"])


def test_a_glob_narrows_a_scan(root: Path, tmp_path: Path) -> None:
    answer = unindexed(root, tmp_path, query="header", file_glob="src/**")
    assert [hit["path"] for hit in answer["result"]["hits"]] == ["src/other.py", "src/parser.py"]
    answer = unindexed(root, tmp_path, query="header", file_glob="*.c")
    assert answer["result"]["hits"] == []


def test_a_scan_gives_no_more_than_asked_for(root: Path, tmp_path: Path) -> None:
    answer = unindexed(root, tmp_path, query="header", top_k=1)
    assert [hit["path"] for hit in answer["result"]["hits"]] == ["src/other.py"]


@pytest.mark.parametrize("query", ["", "...", "a" * 2001])
def test_a_question_is_refused_as_an_index_would(root: Path, tmp_path: Path, query: str) -> None:
    answer = unindexed(root, tmp_path, query=query)
    assert (answer["ok"], answer["result"]["code"]) == (False, "argument_invalid")


@pytest.mark.parametrize("files", [TREE, {"a.bin": b""}], ids=["files", "nothing to read"])
def test_a_cancelled_search_without_an_index_stops(
    tmp_path: Path, files: dict[str, str | bytes]
) -> None:
    root = write(tmp_path / "root", files)
    answer = unindexed(root, tmp_path, query="needle", cancelled=True)
    assert answer["result"]["code"] == "cancelled"


def test_listing_files_takes_part_of_the_time_only(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tree that can't be listed in time gives a partial answer."""
    monkeypatch.setattr(Budget, "within", lambda *_: Steps(3))
    answer = unindexed(root, tmp_path, query="needle filler header")
    assert any(": 0 indexed files and 3 of 3 or more others" in text for text in answer["warnings"])


def test_what_the_index_has_is_not_read_again(root: Path, tmp_path: Path) -> None:
    """Some files are indexed, as after a refresh that ran out of time."""
    manager = services(Options(str(root), str(tmp_path / "data"))).manager
    manager.refresh_paths(["src/parser.py"], FOREVER, deep=True)
    assert manager.state().status == "partial"
    answer = unindexed(root, tmp_path, query="header")
    hits = [hit["path"] for hit in answer["result"]["hits"]]
    assert sorted(hits) == ["docs/header.md", "src/other.py", "src/parser.py"]
    said = "1 indexed files and 6 of 6 others"
    assert any(said in text for text in answer["warnings"])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("parse header", ["src/parser.py", "src/other.py", "docs/header.md"]),
        ("header", ["src/other.py", "src/parser.py", "docs/header.md"]),
    ],
    ids=["more terms first", "then what is indexed"],
)
def test_hits_of_both_are_put_together(
    root: Path, tmp_path: Path, query: str, expected: list[str]
) -> None:
    manager = services(Options(str(root), str(tmp_path / "data"))).manager
    manager.refresh_paths(["src/other.py"], FOREVER, deep=True)
    answer = unindexed(root, tmp_path, query=query)
    assert [hit["path"] for hit in answer["result"]["hits"]] == expected
    few = unindexed(root, tmp_path, query=query, top_k=2)
    assert [hit["path"] for hit in few["result"]["hits"]] == expected[:2]


@pytest.mark.parametrize("question", ["needle ext:zzz", "needle NOT filler", "NOT needle"])
def test_conditions_need_the_index(tmp_path: Path, question: str) -> None:
    assert hits_of(write(tmp_path, TREE), question) == ()
