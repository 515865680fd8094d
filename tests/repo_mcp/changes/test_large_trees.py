"""In a large tree files are compared that looked up what has changed, and not its word alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repo_mcp.changes.reviews import Reviewed, commit, places
from tests.repo_mcp.changes.test_linked_trees import Links, edit

pytestmark = pytest.mark.servers
OTHERS = {f"other/m{number}.py": "def use(item):\n    return item.f(1)\n" for number in range(60)}
FILES = {
    "a.py": "def f(a):\n    return a\n\n\ndef g():\n    return 1\n",
    "b.py": "from a import f, g\n\nx = f(1)\ny = g()\n",
    "c.py": "import a\n\nz = a.g()\n",
    "other/own.py": "def f(b):\n    return b\n",
    **OTHERS,
}


@pytest.mark.parametrize("is_large", [False, True])
def test_files_that_only_have_the_word_are_not_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_large: bool
) -> None:
    if is_large:
        monkeypatch.setattr("repo_mcp.changes.graphs._LARGE", 10)
    root = tmp_path / "root"
    commit(root, FILES)
    opened = Reviewed(root, tmp_path / "data")
    links = Links(monkeypatch)
    edit(root, opened, FILES["a.py"].replace("def f(", "def h("))
    assert places(opened.review()) == [("breaks", "b.py", 1, "f"), ("breaks", "b.py", 3, "f")]
    made = links.take()
    opened.close()
    assert (made == [["a.py"], ["a.py", "b.py"]]) == is_large
    assert (max(map(len, made)) > len(OTHERS) // 3) != is_large
