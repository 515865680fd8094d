"""The history page: commits and lines of a history made by chance, with links that lead on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.repo_mcp.changes import reviews
from tests.repo_mcp.git.made_history import HistoryMaker, run_git
from tests.repo_mcp.web.browsing import Browser, Document

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
COMMITS = 60


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("paged") / "root"
    HistoryMaker(5).make(place, COMMITS)
    return place


@pytest.fixture(scope="module")
def browser(root: Path) -> Browser:
    return Browser(root.parent, {})


def shown(page: Document) -> list[str]:
    return [text.partition(" ")[0] for text in page.texts("h2")]


def logged(root: Path, *options: str) -> list[str]:
    return run_git(root, "log", "--format=%H", *options).decode().split()


@pytest.mark.parametrize("target", ["/history", "/history?path=a.py", "/changes"])
def test_nothing_is_said_of_limits_that_a_page_has_asked_for(browser: Browser, target: str) -> None:
    page = Document(browser.get(target).text)
    assert not [text for text in page.texts("ul", "warnings") if "limited" in text]


def test_the_last_commits_are_shown_page_by_page(root: Path, browser: Browser) -> None:
    found: list[str] = []
    address = "/history"
    while address:
        page = Document(browser.get(address).text)
        found += shown(page)
        links = {item["href"] for item in page.all("a")}
        address = next((link for link in links if "cursor=" in link and ".json" not in link), "")
    assert found == [identity[:10] for identity in logged(root)]


def test_a_text_is_found_and_its_changed_lines_are_marked(root: Path, browser: Browser) -> None:
    page = Document(browser.get("/history?q=return&kind=text").text)
    first = [name for name in shown(page) if name != "First"][:20]
    assert first == [identity[:10] for identity in logged(root, "-Sreturn")][: len(first)]
    assert any("return" in text for text in page.texts("div", "added"))


def test_lines_and_commits_have_their_messages(tmp_path: Path) -> None:
    reviews.commit(tmp_path / "root", {"a.txt": "one\n"}, "made\n\nThe reason\nof it.")
    reviews.commit(tmp_path / "root", {"a.txt": "one\ntwo\n"}, "longer\n\nAnother reason.")
    browser = Browser(tmp_path, {})
    lines = Document(browser.get("/history?path=a.txt&lines=1-2").text)
    commits = Document(browser.get("/history?rev=HEAD%20HEAD~1").text)
    assert lines.texts("pre") == ["The reason\nof it.\n", "Another reason.\n"]
    assert commits.texts("pre") == ["Another reason.\n", "The reason\nof it.\n"]


@pytest.mark.parametrize("about", ["related", "people"])
def test_files_and_people_lead_to_their_commits(root: Path, browser: Browser, about: str) -> None:
    path = run_git(root, "ls-files").decode().split()[0]
    answer = browser.get(f"/history?about={about}&path={path}")
    assert answer.status == 200
    rows = browser.get(f"/history.json?about={about}&path={path}").json["result"].get(about, [])
    links = [item["href"] for item in Document(answer.text).all("a")]
    wanted = "author=" if about == "people" else "/history?path="
    assert sum(wanted in link for link in links) >= len(rows)


def test_lines_lead_to_the_commits_that_they_come_from(root: Path, browser: Browser) -> None:
    path = run_git(root, "ls-files").decode().split()[0]
    page = Document(browser.get(f"/history?path={path}&lines=1-400").text)
    links = {item["href"] for item in page.all("a") if "rev=" in item["href"]}
    assert links
    for link in sorted(links)[:3]:
        assert "rev=" in link
        assert len(shown(Document(browser.get(link).text))) == 1


def test_wrong_questions_say_what_is_wrong(browser: Browser) -> None:
    assert browser.get("/history?path=a.py&lines=x").status == 400
    assert browser.get("/history?path=.env").status == 403
    assert browser.get("/history?path=no.py&lines=1").status == 404
