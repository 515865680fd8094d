"""A bundle of places: paths and ranges alone, within lines and in a few characters."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.bundle import MOST_CHARACTERS
from tests.repo_mcp.search.ranked.test_one_order import tree
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import write

PROMPT = "how does a handle cache a stream"
BUNDLE = "repo.build_context_bundle"


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Caller:
    folder = tmp_path_factory.mktemp("regions")
    call = Caller(write(folder / "root", tree(5)), folder / "data")
    call("repo.refresh_index")
    return call


def places(answer: dict[str, Any]) -> list[tuple[str, list[range]]]:
    found = []
    for item in answer["structuredContent"]["result"]["excerpts"]:
        assert [*item] == ["citation"]
        path, _, ranges = item["citation"].rpartition(":")
        spans = [[*map(int, span.split("-"))] for span in ranges.split(",")]
        found.append((path, [range(span[0], span[-1] + 1) for span in spans]))
    return found


@pytest.mark.parametrize("lines", [1, 100, 300, 500])
def test_places_stay_within_lines_and_characters(call: Caller, lines: int) -> None:
    budget = {"max_total_lines": lines}
    answer = call.answer(BUNDLE, prompt=PROMPT, strategy="regions", budget=budget)
    found = places(answer)
    assert found
    assert sum(len(span) for _, spans in found for span in spans) <= lines
    assert len(answer["content"][0]["text"]) <= MOST_CHARACTERS
    for path, spans in found:
        count = len((Path(call.options.repo_root) / path).read_text().splitlines())
        assert all(0 < span.start < span.stop <= count + 1 for span in spans)
        assert all(one.stop < other.start for one, other in pairwise(spans))


def test_places_are_in_no_more_files_than_are_asked_for(call: Caller) -> None:
    most = {"max_files": 2}
    few = places(call.answer(BUNDLE, prompt=PROMPT, strategy="regions", budget=most))
    many = places(call.answer(BUNDLE, prompt=PROMPT, strategy="regions"))
    assert [path for path, _ in few] == [path for path, _ in many][:2]
    assert len(many) > 2


def test_the_text_is_places_in_the_order_of_a_search(call: Caller) -> None:
    answer = call.answer(BUNDLE, prompt=PROMPT, strategy="regions")
    paths = [path for path, _ in places(answer)]
    hits = call.result("repo.search", query=PROMPT, top_k=40, max_chars=100_000)["hits"]
    assert paths == [*dict.fromkeys(hit["path"] for hit in hits)][: len(paths)]
    *rows, last = str(answer["content"][0]["text"]).split("\n")
    assert last.startswith("request_id")
    cited = [item["citation"] for item in answer["structuredContent"]["result"]["excerpts"]]
    told = "warning", "no confident answer"
    assert [row for row in rows if not row.startswith(told)] == cited


def test_a_question_without_an_answer_has_places_and_says_so(call: Caller) -> None:
    prompt = "how are taxed salaries transferred to pension funds by the handle of a bank"
    answer = call.answer(BUNDLE, prompt=prompt, strategy="regions")
    text = answer["content"][0]["text"]
    assert text.startswith("no confident answer to ")
    assert len(text) <= MOST_CHARACTERS
    assert places(answer)


def long_class(name: str, members: int) -> str:
    """A class of which one member closes a ledger."""
    rows = [f"class {name}:"]
    for number in range(members):
        about = "close the ledger of a till" if number == members // 2 else f"step {number}"
        rows += [
            f"    def member_{number}(self):",
            f'        """{about}"""',
            *["        x = 1"] * 8,
        ]
    return "\n".join(rows) + "\n"


LEDGER = "close the ledger of a till"


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Caller:
    folder = tmp_path_factory.mktemp("shop")
    files: dict[str, str | bytes] = {
        "till.py": long_class("Till", 80),
        "locale/de/shop.po": f'msgid "{LEDGER}"\nmsgstr "Kasse"\n' * 3,
        "web/i18n/en.json": f'{{"a": "{LEDGER}", "b": "the ledger"}}\n',
    }
    call = Caller(write(folder / "root", files), folder / "data")
    call("repo.refresh_index")
    return call


def test_of_a_long_class_the_members_that_match_are_places(shop: Caller) -> None:
    found = dict(places(shop.answer(BUNDLE, prompt=LEDGER, strategy="regions")))
    assert any(402 in span for span in found["till.py"])  # the head of the member
    assert sum(map(len, found["till.py"])) < 200


@pytest.mark.parametrize("strategy", ["regions", "hybrid"])
def test_translations_come_last_unless_they_are_asked_for(shop: Caller, strategy: str) -> None:
    kept = {"locale/de/shop.po", "web/i18n/en.json"}

    def paths(prompt: str) -> list[str]:
        found = shop.result(BUNDLE, prompt=prompt, strategy=strategy)
        rows = [*found["excerpts"], *found.get("places", ())]
        return [*dict.fromkeys(row["citation"].rpartition(":")[0] for row in rows)]

    plain = [path in kept for path in paths(LEDGER)]
    assert plain[0] is False
    assert plain == sorted(plain)
    if strategy == "hybrid":
        assert not any(plain)
    assert kept & {*paths(f"translations of: {LEDGER}")}
