"""The page of questions: the tool's answer, whose places lead to files and lines."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from repo_mcp.web.places import link_places
from tests.repo_mcp.web.browsing import Browser, Document

FILES: dict[str, str | bytes] = {
    "src/tax.py": "RATE = 2\n\n\ndef add_tax(net):\n    return net * RATE\n",
    "src/shop.py": "from src.tax import add_tax\n\n\ndef total(net):\n    return add_tax(net)\n",
    "src/names.py": 'NAMES = ["total"]\n',
    "odd name.md": "# The odd tax\n",
}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    return Browser(tmp_path_factory.mktemp("asked"), FILES)


def page(browser: Browser, target: str) -> Document:
    answer = browser.get(target)
    assert answer.status == 200, answer.text
    return Document(answer.text)


def test_nothing_is_asked_before_the_form_is_sent(browser: Browser) -> None:
    shown = page(browser, "/ask")
    assert [item["name"] for item in shown.all("textarea")] == ["q", "more"]
    assert shown.texts("p", "summary") == []
    assert browser.get("/ask.json").json["ok"] is False


def test_the_verdict_comes_first_and_places_lead_to_their_lines(browser: Browser) -> None:
    shown = page(browser, "/ask?names=add_tax,src/tax.py:1-1&want=uses")
    assert shown.texts("p", "summary")[0].startswith("answered")
    assert shown.texts("h2") == ["src/tax.py:1-1", "uses add_tax"]
    links = {"".join(item.text): item["href"] for item in shown.all("a")}
    assert links["src/tax.py:4-5"] == "/file?path=src/tax.py&line=4&end=5#L4"
    # of a row with a number, that of the file above it
    assert links["5"] == "/file?path=src/shop.py&line=5#L5"


def test_the_json_is_the_answer_of_the_tool_without_a_tour(browser: Browser) -> None:
    arguments = {"question": "where is the tax added", "max_chars": 40_000}
    called = browser.app.call("repo.ask", arguments, lambda: False)["structuredContent"]
    answer = browser.get("/ask.json?q=where+is+the+tax+added").json
    assert answer["result"]["parts"] == called["result"]["parts"]
    assert "tour" in called["result"]
    assert "tour" not in answer["result"]


def test_a_step_leads_to_the_lines_that_it_opens(browser: Browser) -> None:
    shown = page(browser, "/ask?names=total&want=uses")
    (step,) = [text for text in shown.texts("p") if text.startswith("Next: ")]
    assert step == "Next: open src/names.py:1"
    assert "/file?path=src/names.py&line=1#L1" in [item["href"] for item in shown.all("a")]


def test_what_is_asked_stands_in_the_form_again(browser: Browser) -> None:
    shown = page(
        browser, f"/ask?q={quote('<b>tax')}&names=add_tax&want=tests&more=RATE%0D%0ANAMES&to=total"
    )
    assert shown.texts("textarea") == ["<b>tax", "RATE\nNAMES"]
    assert "total" in [item["value"] for item in shown.all("input") if item["name"] == "to"]
    (chosen,) = [item for item in shown.all("option") if "selected" in item.attributes]
    assert chosen["value"] == "tests"


def test_places_are_those_of_files_that_are_there() -> None:
    rows = ["see a.py:3-4, b.py and c.py.", "odd name.md", "12: a.py", "3 files", "e.py:1"]
    linked = [
        [(piece.text, piece.address) for piece in row if piece.address]
        for row in link_places(rows, {"a.py", "c.py", "odd name.md"}.__contains__)
    ]
    assert linked == [
        [("a.py:3-4", "/file?path=a.py&line=3&end=4#L3"), ("c.py", "/file?path=c.py")],
        [("odd name.md", "/file?path=odd%20name.md")],
        [("12", "/file?path=odd%20name.md&line=12#L12")],
        [],
        [],
    ]
    assert ["".join(piece.text for piece in row) for row in link_places(rows, bool)] == rows
