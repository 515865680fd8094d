"""The graph of a commit is linked once for several questions, which have the same answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.changes import ChangeQuestion, LinkedTrees
from repo_mcp.indexing.keep.on_demand import OnDemand
from repo_mcp.model import QuestionFiles
from tests.repo_mcp.changes.reviews import Reviewed, commit, places
from tests.repo_mcp.trees import FOREVER, write

pytestmark = pytest.mark.servers
FILES = {
    "a.py": "def f(a):\n    return a\n\n\ndef g():\n    return 1\n",
    "b.py": "from a import f, g\n\nx = f(1)\ny = g()\n",
    "c.py": "from a import g\n\nz = g()\n",
}


class Links:
    """The files that were linked for each question."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.made: list[list[str]] = []
        link = OnDemand.link

        def note(linker: OnDemand, text: Any, asked: QuestionFiles, *rest: Any) -> Any:  # noqa: ANN401
            self.made.append(sorted(asked.paths))
            return link(linker, text, asked, *rest)

        patch.setattr(OnDemand, "link", note)

    def take(self) -> list[list[str]]:
        found, self.made = self.made, []
        return found


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    commit(root, FILES)
    return root


@pytest.fixture
def opened(root: Path, tmp_path: Path) -> Iterator[Reviewed]:
    found = Reviewed(root, tmp_path / "data")
    yield found
    found.close()


def edit(root: Path, opened: Reviewed, text: str) -> None:
    write(root, {"a.py": text})
    opened.parts.manager.refresh(FOREVER)
    opened.parts.manager.link(FOREVER)


def test_the_commit_before_is_linked_once(
    root: Path, opened: Reviewed, monkeypatch: pytest.MonkeyPatch
) -> None:
    links = Links(monkeypatch)
    edit(root, opened, FILES["a.py"].replace("def f(", "def h("))
    first = places(opened.review())
    assert ("breaks", "b.py", 3, "f") in first
    assert links.take() == [["a.py", "b.py"]]
    edit(root, opened, "import os\n\n\n" + FILES["a.py"].replace("def f(", "def h("))
    assert places(opened.review()) == first
    assert links.take() == []
    opened.trees = LinkedTrees()
    assert places(opened.review()) == first
    assert links.take() == [["a.py", "b.py"]]


def test_more_files_are_linked_where_others_may_use_what_has_changed(
    root: Path, opened: Reviewed, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(root, opened, FILES["a.py"].replace("def f(", "def h("))
    opened.review()
    links = Links(monkeypatch)
    edit(root, opened, "def i(a):\n    return a\n")
    assert ("breaks", "c.py", 3, "g") in places(opened.review())
    assert links.take() == [["a.py", "b.py", "c.py"]]


def test_another_commit_is_linked_anew(
    root: Path, opened: Reviewed, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(root, opened, FILES["a.py"].replace("def f(", "def h("))
    opened.review()
    commit(root, {"c.py": "from a import h\n\nz = h(2)\n"})
    links = Links(monkeypatch)
    edit(root, opened, FILES["a.py"].replace("def f(", "def k("))
    assert ("breaks", "c.py", 3, "h") in places(opened.review())
    assert len(links.take()) == 1


def test_a_part_of_a_change_is_of_no_commit(
    root: Path, opened: Reviewed, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {"c.py": "z = 1\n"})
    edit(root, opened, FILES["a.py"].replace("def f(", "def h("))
    opened.review()
    links = Links(monkeypatch)
    for _ in range(2):
        opened.review(ChangeQuestion(path="a.py"))
    assert len(links.take()) == 2
