"""A sparse checkout has the files that are there, and follows when more or fewer are."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo_mcp.indexing.keep import refresh
from repo_mcp.indexing.keep.manager import IndexManager
from tests.repo_mcp.indexing.walk.ignore_trees import GIT, git
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, served, text_of

pytestmark = [pytest.mark.servers, pytest.mark.skipif(not GIT, reason="there is no git")]
FILES: dict[str, str | bytes] = {
    f"{folder}/f{number}.py": f"word{number} = {number}\n"
    for folder in ("app", "lib", "lib/deep", "tools")
    for number in range(5)
}


def indexed(manager: IndexManager) -> set[str]:
    assert manager.refresh(FOREVER).complete
    found = text_of(manager)
    return {*found.paths()}


@pytest.mark.parametrize("is_large", [False, True])
def test_the_index_follows_the_patterns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_large: bool
) -> None:
    if is_large:  # the files that git has changed last come first, also those that are not there
        monkeypatch.setattr(refresh, "_MANY_FILES", 1)
    root = write(tmp_path / "root", FILES)
    git(root, "init", "-q")
    git(root, "add", "-A")
    names = "-c", "user.name=a", "-c", "user.email=a@b.c"
    git(root, *names, "commit", "-qm", "all")
    git(root, "sparse-checkout", "set", "app")
    manager = served(root, tmp_path / "data").manager
    for folders, wanted in [
        ((), ("app/",)),
        (("app", "lib/deep"), ("app/", "lib/f", "lib/deep/")),
        (("tools",), ("tools/",)),
    ]:
        if folders:
            git(root, "sparse-checkout", "set", *folders)
        assert indexed(manager) == {path for path in FILES if path.startswith(wanted)}
    git(root, "sparse-checkout", "disable")
    assert indexed(manager) == {*FILES}
