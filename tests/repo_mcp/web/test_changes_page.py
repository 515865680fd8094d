"""The page about a change: its places lead to the lines, and its JSON is the tool's answer."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.repo_mcp.changes.reviews import commit
from tests.repo_mcp.trees import write
from tests.repo_mcp.web.browsing import Browser, Document

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
OLD = {"a.py": "def f(a, b):\n    return a\n", "b.py": "from a import f\n\nf(1, 2)\n"}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    root: Path = tmp_path_factory.mktemp("changed") / "root"
    commit(root, OLD)
    commit(root, {"c.py": "x = 1\n"})
    write(root, {"a.py": "def f(a):\n    return a\n"})
    return Browser(root.parent, {})


def test_places_lead_to_their_lines(browser: Browser) -> None:
    answer = browser.get("/changes")
    assert answer.status == 200
    page = Document(answer.text)
    assert {"May break", "Declarations", "Lines"} <= set(page.texts("h2"))
    assert any("b.py" in link["href"] for link in page.all("a"))
    assert any("-def f(a, b):" in text for text in page.texts("div", "removed"))
    (place,) = browser.get("/changes.json").json["result"]["breaking"]
    assert (place["path"], place["line"], place["verdict"]) == ("b.py", 3, "breaks")


def test_a_commit_and_a_part_are_asked_for(browser: Browser) -> None:
    assert browser.get("/changes.json?rev=HEAD").json["result"]["files"] == 1
    assert browser.get("/changes.json?path=b.py").json["result"]["files"] == 0
    assert browser.get("/changes?rev=nothing").status == 400
