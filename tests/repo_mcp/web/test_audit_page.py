"""The audit page: what was shown, when, and to which client."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from repo_mcp.web.addresses import Parameters
from repo_mcp.web.pages.audit import audit_values, tool_times
from tests.repo_mcp.web.browsing import Browser, Document

FILES: dict[str, str | bytes] = {"a b/c.py": "def needle(): pass\n"}


class Client(NamedTuple):
    """A client that calls tools."""

    client: str
    token: str = ""
    reads_structured: bool = True
    is_task: bool = False
    has_silent_roots: bool = False

    def is_cancelled(self) -> bool:
        return False

    def progress(self, done: int, total: int, what: str) -> None: ...

    def log(self, level: str, text: str) -> None: ...

    def sample(self, prompt: str, tokens: int) -> None: ...

    def list_roots(self) -> list[dict[str, object]]:
        return []


def call(**given: object) -> dict[str, object]:
    made: dict[str, object] = {
        "time": "2026-01-31T09:30:00.000Z",
        "tool": "repo.search",
        "client": "one",
        "arguments": "{}",
        "milliseconds": 5.0,
        "ok": True,
        "blocked": False,
        "request_id": "",
        "counts": {},
        "shown": (),
        "shown_in_all": 0,
    }
    return {**made, **given}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    browser = Browser(tmp_path_factory.mktemp("audit"), FILES)
    browser.get("/search?q=needle")
    browser.get("/file?path=.env")
    return browser


def test_each_call_has_its_client_and_what_was_shown(browser: Browser) -> None:
    page = Document(browser.get("/audit?tool=repo.search").text)
    assert page.texts("ul", "places") == ["a b/c.py:1-1"]
    place = [item["href"] for item in page.all("a") if item["href"].startswith("/file")][-1]
    assert place == "/file?path=a%20b/c.py&line=1#L1"
    assert "web" in page.texts("td")
    assert "needle" in "".join(page.texts("code", "asked"))


def test_blocked_calls_are_marked(browser: Browser) -> None:
    page = Document(browser.get("/audit?tool=repo.open_file").text)
    assert page.texts("strong", "blocked") == ["blocked"]


def test_calls_of_one_client_or_tool_can_be_picked(browser: Browser) -> None:
    page = Document(browser.get("/audit?client=nobody").text)
    assert page.all("table") == []
    page = Document(browser.get("/audit?client=web&tool=repo.search").text)
    assert [item["href"] for item in page.all("a", "chip")] == [
        "/audit?tool=repo.search",
        "/audit?client=web",
    ]


def test_a_time_that_is_none_is_refused(browser: Browser) -> None:
    assert browser.get("/audit?since=yesterday").status == 400
    assert Document(browser.get("/audit?since=2999-01-01").text).all("table") == []


def test_an_empty_log_says_what_will_be_there(tmp_path: Path) -> None:
    page = Document(Browser(tmp_path, FILES).get("/audit").text)
    assert "No calls are recorded" in " ".join(page.texts("p", "hint"))


def test_older_calls_are_on_the_next_page(tmp_path: Path) -> None:
    browser = Browser(tmp_path, FILES)
    for _ in range(230):
        browser.app.call("repo.status", {}, lambda: False)
    seen, target = 0, "/audit"
    while target:
        page = Document(browser.get(target).text)
        seen += len(page.texts("code", "asked"))
        target = next((item["href"] for item in page.all("a", "more")), "")
    assert seen == 230


def test_all_calls_are_counted_with_the_clients_that_made_them(tmp_path: Path) -> None:
    browser = Browser(tmp_path, FILES)
    for number in range(95):
        caller = Client("an-editor" if number < 90 else "web")
        browser.app.call("repo.search", {"query": "needle " * 40}, lambda: False, caller)
    page = Document(browser.get("/audit").text)
    assert "95 calls by an-editor (90), web (5)" in page.texts("p", "summary")[0]
    assert len(page.texts("code", "asked")) == 95
    older = Document(browser.get("/audit?client=an-editor").text)
    assert "90 calls of 95 by an-editor (90)" in older.texts("p", "summary")[0]
    # looking at the log is no call
    assert len(browser.get("/audit.json").json["result"]["calls"]) == 95


def test_times_are_of_answered_calls() -> None:
    calls = [call(milliseconds=float(number)) for number in range(1, 101)]
    calls.append(call(milliseconds=9999.0, ok=False))
    (times,) = tool_times(calls)
    assert (times.number, times.middle, times.slow) == (100, 51.0, 96.0)


def test_rows_are_along_the_time() -> None:
    calls = [
        call(time="2026-01-31T09:30:10.000Z", client="two"),
        call(time="2026-01-31T09:30:05.000Z"),
        call(time="2026-01-31T09:30:00.000Z"),
    ]
    log = {"calls": calls, "skipped_lines": 0, "truncated": False}
    values = audit_values(log, Parameters(b""))
    assert [(row.client, [at for at, _, _ in row.marks]) for row in values["rows"]] == [
        ("one", [50.0, 0.0]),
        ("two", [100.0]),
    ]
