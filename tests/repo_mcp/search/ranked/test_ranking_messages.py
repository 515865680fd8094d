"""Ranking for messages: areas, parts of identifiers, and words that any message may have."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from code_graph.paths.path_kinds import DATA, DOCS, VENDORED
from index_format.records import replace
from repo_mcp.model import SearchHit
from repo_mcp.question.query import FAINT, parse_words
from repo_mcp.question.word_lists import STOP
from repo_mcp.search.ranked.engine import RankedEngine
from repo_mcp.search.ranked.path_signals import path_signals
from tests.repo_mcp.trees import FOREVER, Services, served, write

TREE: dict[str, str | bytes] = {
    "lib/netrc.py": "def load(path):\n    login = read(path)\n    return login\n",
    "lib/login.py": "def check(login):\n    password = login.password\n    return password\n",
    "lib/upload.py": "def send(crafted, packet):\n    return crafted\n",
    "lib/packet.py": "def pack(packet, size):\n    return packet[:size]\n",
    "lib/frame.py": "def pack(frame, size):\n    return frame[:size]\n",
    "packages/red-query/turn.c": "/* timer wheel seconds */\nstatic int turns;\n",
    "packages/blue-query/turn.c": "/* timer wheel minutes seconds */\nstatic int turn;\n",
    "src/wheel.c": "/* timer wheel seconds: */\nstatic int turns;\n",
    "vendor/ring.c": "int ring_buffer_swap(int cpu)\n{\n\treturn cpu;\n}\n",
    "src/ring.c": "int ring_buffer_swap(int cpu)\n{\n\treturn cpu;\n}\n",
    "src/caller.c": "int caller(void)\n{\n\treturn ring_buffer_swap(0);\n}\n",
    "src/buffer.c": "int grow(int ring)\n{\n\treturn ring * 2;\n}\n",
}


@pytest.fixture
def services(tmp_path: Path) -> Services:
    found = served(write(tmp_path / "root", TREE), tmp_path / "data")
    found.manager.refresh(FOREVER, force=False)
    return found


def ask(services: Services, query: str, *, explain: bool = False) -> list[SearchHit]:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    return list(
        RankedEngine(services.sandbox, services.languages)
        .search(snapshot, query, 10, None, FOREVER, explain=explain)
        .hits
    )


def order(services: Services, query: str) -> list[str]:
    return list(dict.fromkeys(hit.path for hit in ask(services, query)))


def leading(query: str) -> set[str]:
    return {word.term for word in parse_words(query).words if word.in_area}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("netrc: login without password", {"netrc"}),
        ("[net] tcp/udp: wrong sum", {"net", "tcp", "udp"}),
        ("drm/i915: display: fix a leak", {"drm", "i915", "display"}),
        ("read, write: login", {"read", "write"}),
        ("std::vector grows", set()),
        ("it grows and grows and then: nothing", set()),
        ("login without password", set()),
        ("see http://host/login", set()),
    ],
)
def test_a_question_may_begin_with_what_it_is_about(query: str, expected: set[str]) -> None:
    assert leading(query) == expected


def test_an_area_in_a_file_name_counts_more(services: Services) -> None:
    with_area = {hit.path: hit.score for hit in ask(services, "netrc: login")}
    without = {hit.path: hit.score for hit in ask(services, "netrc login")}
    assert with_area["lib/netrc.py"] > without["lib/netrc.py"]
    assert with_area["lib/login.py"] < with_area["lib/netrc.py"]


def test_an_area_that_is_a_folder_counts_more(services: Services) -> None:
    with_area = {hit.path: hit.score for hit in ask(services, "blue-query: wheel seconds")}
    others = {hit.path: hit.score for hit in ask(services, "blue query wheel seconds")}
    inside, beside = "packages/blue-query/turn.c", "packages/red-query/turn.c"
    assert with_area[inside] / with_area[beside] > others[inside] / others[beside]


@pytest.mark.parametrize(
    ("message", "plain"),
    [
        ("fix: wheel seconds", "wheel seconds"),
        ("feat!: wheel seconds", "wheel seconds"),
        ("test(blue-query): wheel seconds", "blue-query: wheel seconds"),
        ("Docs(ring)!: swap cpu", "ring: swap cpu"),
    ],
)
def test_the_kind_of_a_change_is_not_searched_for(message: str, plain: str) -> None:
    assert parse_words(message) == replace(parse_words(plain), is_change=True)


@pytest.mark.parametrize(
    ("text", "is_change"),
    [
        ("fix rotation of the session key", True),
        ("ring: swap cpu", True),
        ("feat(ring): rotation of the session key", True),
        ("allow empty session keys", True),
        ("session keys are incorrect after rotation", True),
        ("remove the session key of a user", False),
        ("where are additional session keys made", False),
        ("what happens when a key causes a failure", False),
        ("what happens when a key causes a failure " + "in a session " * 10, False),
    ],
)
def test_a_text_speaks_of_a_change_or_describes_code(text: str, *, is_change: bool) -> None:
    assert parse_words(text).is_change == is_change


@pytest.mark.parametrize("query", ["fix:", "test: ", "build(x):"])
def test_a_question_of_nothing_but_a_kind_is_searched_as_written(query: str) -> None:
    assert parse_words(query).words


def test_of_equal_files_the_best_is_shown_and_the_others_are_named(services: Services) -> None:
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    engine = RankedEngine(services.sandbox, services.languages)
    found = engine.search(snapshot, "ring_buffer_swap", 10, None, FOREVER)
    assert [hit.path for hit in found.hits] == ["src/ring.c", "src/caller.c"]
    assert [(item.code, item.text) for item in found.warnings] == [
        ("copies", "1 equal file left out: vendor/ring.c equals src/ring.c")
    ]
    inside = engine.search(snapshot, "ring_buffer_swap", 10, "vendor/**", FOREVER)
    assert [hit.path for hit in inside.hits] == ["vendor/ring.c"]


def test_an_area_in_no_file_name_counts_like_other_words(services: Services) -> None:
    with_area = [(hit.path, hit.score) for hit in ask(services, "password: login")]
    assert with_area == [(hit.path, hit.score) for hit in ask(services, "password login")]


def test_a_word_that_any_message_may_have_counts_less(services: Services) -> None:
    assert order(services, "crafted packet size")[0] == "lib/packet.py"
    weights = {word.term: word.weight for word in parse_words("avoid packet size").words}
    assert weights["avoid"] < weights["packet"] == weights["size"]


def test_in_a_name_every_word_counts() -> None:
    assert {word.weight for word in parse_words("avoid packet").words} == {1.0}


def test_faint_words_are_no_stop_words() -> None:
    assert not STOP & FAINT


def test_parts_of_an_identifier_count_beside_other_words(services: Services) -> None:
    assert "src/buffer.c" in order(services, "ring_buffer_swap grow")
    reasons = {
        reason.term
        for hit in ask(services, "ring_buffer_swap cpu", explain=True)
        for reason in hit.reasons
    }
    assert {"ring_buffer_swap", "ring", "buffer", "swap"} <= reasons


def test_a_lone_identifier_matches_only_the_whole(services: Services) -> None:
    assert order(services, "ring_buffer_swap") == ["src/ring.c", "src/caller.c"]


@pytest.mark.parametrize("query", ["wheel seconds", "netrc: login password", "crafted packet size"])
def test_reasons_multiply_to_the_score_of_a_file_of_one_chunk(
    services: Services, query: str
) -> None:
    for hit in ask(services, query, explain=True):
        words = sum(reason.weight for reason in hit.reasons if reason.term)
        factors = math.prod(reason.weight for reason in hit.reasons if not reason.term)
        assert words * factors == pytest.approx(hit.score, rel=5e-3)


@pytest.mark.parametrize(
    ("path", "kinds"),
    [
        ("src/timer.h", set()),
        ("src/timer.c", set()),
        ("man/tool.8", {DOCS}),
        ("tool.conf.5", {DOCS}),
        ("COPYING", {DOCS}),
        ("src/history.c", set()),
        ("src/install.py", set()),
        ("build/ltmain.sh", {VENDORED}),
        ("configure", {VENDORED}),
        ("configure.ac", set()),
        ("lib/Makefile.in", {VENDORED}),
        ("ui/list.snap", {DATA}),
        ("rows.csv", {DATA}),
        ("icons/plus.svg", {DATA}),
        ("main.js.map", {DATA}),
        ("jquery.min.js", {DATA}),
        ("Cargo.lock", {DATA}),
        ("package-lock.json", {VENDORED, DATA}),
        ("pnpm-lock.yaml", {VENDORED, DATA}),
        ("src/unlock.py", set()),
        ("src/map.ts", set()),
    ],
)
def test_the_kind_of_a_file_is_in_its_name(path: str, kinds: set[str]) -> None:
    assert path_signals(path).kinds == kinds
