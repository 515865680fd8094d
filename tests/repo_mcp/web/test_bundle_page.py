"""The bundle page: what a prompt gets, why each part of it, and what it costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.indexing.keep.background import BackgroundRefresh
from tests.repo_mcp.web.browsing import Browser, Document

FILES: dict[str, str | bytes] = {
    "src/box.py": "class Box:\n    def squarify(self) -> None:\n        raise KeyError('box')\n",
    "src/far.py": "def unrelated() -> int:\n    return 1\n",
    "tests/test_box.py": "def test_squarify() -> None:\n    assert Box().squarify()\n",
}
PROMPT = "squarify+raises+KeyError"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    return Browser(tmp_path_factory.mktemp("bundle"), FILES)


def test_every_file_has_its_lines_its_cost_and_a_reason(browser: Browser) -> None:
    answer = browser.get(f"/bundle?prompt={PROMPT}")
    page = Document(answer.text)
    result = browser.get(f"/bundle.json?prompt={PROMPT}").json["result"]
    excerpts = [item for item in result["excerpts"] if "text" in item]
    places = {item["citation"] for item in result["excerpts"]} - {
        item["citation"] for item in excerpts
    }
    cited = {item["citation"].rpartition(":")[0] for item in excerpts}
    assert set(page.texts("a", "result")) == cited
    assert places == {"tests/test_box.py:1-2"}
    assert all(place in answer.text for place in places)
    assert "src/box.py" in cited
    texts = " ".join(page.texts("td", "why")).strip()
    assert "squarify" in texts
    assert "def squarify(self) -> None:" in "".join(page.texts("code"))
    used = result["used"]
    assert f"about {used['tokens']} tokens" in " ".join(page.texts("p", "summary"))


def test_a_page_without_the_graph_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BackgroundRefresh, "wait_until_linked", lambda *_: False)
    page = Browser(tmp_path, FILES).get(f"/bundle?prompt={PROMPT}").text
    assert "this bundle lacks what the symbol graph tells" in page


def test_the_costs_of_files_are_those_of_the_bundle(browser: Browser) -> None:
    page = Document(browser.get(f"/bundle?prompt={PROMPT}&tests=1").text)
    used = browser.get(f"/bundle.json?prompt={PROMPT}&tests=1").json["result"]["used"]
    numbers = [int(text) for text in page.texts("td", "number")[: 2 * used["files"]]]
    lines, tokens = numbers[::2], numbers[1::2]
    assert sum(lines) == used["lines"]
    assert abs(sum(tokens) - used["tokens"]) <= len(tokens)


def test_limits_are_the_tools(browser: Browser) -> None:
    page = Document(browser.get(f"/bundle?prompt={PROMPT}&max_files=1&tests=1").text)
    assert len(page.all("a", "result")) == 1


def test_keywords_and_searches_tell_how_it_was_made(browser: Browser) -> None:
    page = Document(browser.get(f"/bundle?prompt={PROMPT}").text)
    assert "KeyError" in page.texts("th")
    assert "squarify" in " ".join(page.texts("td"))


def test_without_a_prompt_the_last_bundle_of_any_client_is_shown(tmp_path: Path) -> None:
    browser = Browser(tmp_path, FILES)
    first = Document(browser.get("/bundle").text)
    assert first.all("article") == []
    assert browser.get("/bundle.json").status == 404
    arguments = {"prompt": "squarify\nraises"}
    browser.app.call("repo.build_context_bundle", arguments, lambda: False)
    last = Document(browser.get("/bundle").text)
    assert last.texts("pre", "prompt") == ["squarify\nraises\n"]
    assert "src/box.py" in last.texts("a", "result")
    assert browser.get("/bundle.json").json["result"]["prompt"] == "squarify\nraises"


def test_looking_at_a_bundle_replaces_no_bundle_of_a_client(tmp_path: Path) -> None:
    browser = Browser(tmp_path, FILES)
    browser.app.call("repo.build_context_bundle", {"prompt": "unrelated"}, lambda: False)
    kept = browser.get("/bundle.json").json["result"]
    for target in (f"/bundle?prompt={PROMPT}", f"/bundle.json?prompt={PROMPT}"):
        assert browser.get(target).status == 200
    assert browser.get("/bundle.json").json["result"] == kept


def test_a_bundle_of_a_page_is_the_one_that_a_client_gets(browser: Browser) -> None:
    shown = browser.get(f"/bundle.json?prompt={PROMPT}").json["result"]
    arguments = {"prompt": PROMPT.replace("+", " "), "max_chars": 40_000}
    answer = browser.app.call("repo.build_context_bundle", arguments, lambda: False)
    assert answer["structuredContent"]["result"]["bundle_id"] == shown["bundle_id"]
    assert shown["record"]["bundle_id"] == shown["bundle_id"]


def test_a_prompt_without_words_is_refused_on_the_page(browser: Browser) -> None:
    answer = browser.get("/bundle?prompt=%2e%2e")
    assert answer.status == 400
    assert Document(answer.text).texts("textarea") == [".."]


def test_denied_files_are_in_no_bundle(tmp_path: Path) -> None:
    browser = Browser(tmp_path, {**FILES, ".env": "squarify=KeyError\n"})
    assert ".env" not in browser.get(f"/bundle?prompt={PROMPT}").text
