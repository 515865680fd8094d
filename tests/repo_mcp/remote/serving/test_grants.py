"""Tokens of a published root: parts are built from its texts, branches are its labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from repo_mcp.grants.grant import Grant
from repo_mcp.grants.narrowing import narrowed
from repo_mcp.services import Services, services
from repo_mcp.settings import ConfigError, read_options
from tests.repo_mcp.remote.serving.published import TREE, checkout, publish
from tests.repo_mcp.revisions.past import files_in
from tests.repo_mcp.trees import FOREVER, segment_names
from tests.repo_mcp.workspace.workspaces import call, serve, text_of

pytestmark = pytest.mark.servers

PART = Grant(paths=("src", "!src/vault.py"))
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("repo.search", {"query": "vault"}),
    ("repo.search", {"query": "open_vault", "mode": "literal"}),
    ("repo.search", {"query": "bezahlen"}),
    ("repo.symbol", {"name": "open_vault"}),
    ("repo.symbol", {"name": "pay"}),
    ("repo.outline", {"path": "src"}),
    ("repo.open_file", {"path": "src/card.py"}),
    ("repo.open_file", {"path": "src/vault.py"}),
    ("repo.open_file", {"path": "README.md"}),
    ("repo.list_files", {}),
    ("list_directory", {"path": "src"}),
    ("repo.history", {}),
)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    top = tmp_path_factory.mktemp("published")
    root = checkout(top / "shop", TREE)
    address = (top / "store").as_uri()
    publish(root, address, top / "data")
    checkout(root, {"src/merger.py": "def merge_with_rival():\n    pass\n"})
    publish(root, address, top / "data", label="plans")
    return address


def test_a_part_answers_as_a_tree_that_has_nothing_else(tmp_path: Path, url: str) -> None:
    shown = {
        path: text
        for path, text in TREE.items()
        if path.startswith("src/") and path not in {"src/vault.py", "src/.env"}
    }
    rest = checkout(tmp_path / "shop", shown)
    rest_url = (tmp_path / "store").as_uri()
    publish(rest, rest_url, tmp_path / "data")
    with (
        serve(("repo_root", url), data=tmp_path / "one", grant=PART) as part,
        serve(("repo_root", rest_url), data=tmp_path / "two") as alone,
    ):
        for app in (part, alone):
            call(app, "repo.refresh_index")
            app.services.repository().manager.link(FOREVER)
        for tool, given in CALLS:
            assert text_of(part, tool, **given) == text_of(alone, tool, **given), (tool, given)
        past = text_of(part, "repo.open_file", path="src/card.py", rev="plans")
        assert "nothing is published as 'plans'" in past
        assert "main" not in past


def test_branches_are_labels(tmp_path: Path, url: str) -> None:
    with serve(("repo_root", url), data=tmp_path / "one", grant=Grant(branches=("main",))) as app:
        assert "pay" in text_of(app, "repo.open_file", path="src/card.py")
        hidden = text_of(app, "repo.open_file", path="src/merger.py", rev="plans")
        assert "nothing is published as 'plans'" in hidden
        assert "labels: main;" in hidden
    with serve(("repo_root", url), data=tmp_path / "two", grant=Grant(branches=("plan*",))) as app:
        refused = text_of(app, "repo.open_file", path="src/card.py")
        assert "main is no label that you may see" in refused
        assert "merge_with_rival" in text_of(
            app, "repo.open_file", path="src/merger.py", rev="plans"
        )


def test_commits_of_labels_that_are_not_shown_are_not_there(tmp_path: Path, url: str) -> None:
    with serve(("repo_root", url), data=tmp_path / "all") as app:
        commit = text_of(app, "repo.open_file", path="src/merger.py", rev="plans")
    digits = commit.partition("as of plans, ")[2][:12]
    assert len(digits) == 12
    with serve(("repo_root", url), data=tmp_path / "one", grant=Grant(branches=("main",))) as app:
        hidden = text_of(app, "repo.open_file", path="src/merger.py", rev=digits)
        assert "nothing is published" in hidden
        assert digits not in hidden.partition("nothing is published")[2].partition(";")[2]


def test_a_root_that_is_not_served_is_refused(tmp_path: Path, url: str) -> None:
    with (
        pytest.raises(ConfigError, match="no root other is served"),
        serve(("repo_root", url), data=tmp_path / "one", grant=Grant(roots=("other",))),
    ):
        pass


def test_an_address_is_served_alone(tmp_path: Path, url: str) -> None:
    with (
        pytest.raises(ConfigError, match="is served alone, by --repo-root"),
        serve(("roots", f"shop={url}"), data=tmp_path / "one"),
    ):
        pass


def test_a_part_of_a_newer_publication_begins_as_that_of_the_one_before(tmp_path: Path) -> None:
    root, url = checkout(tmp_path / "shop", TREE), (tmp_path / "store").as_uri()

    def part(data: str) -> Services:
        flags = [("repo_root", url), ("data_dir", str(tmp_path / data)), ("index_share", "never")]
        return services(narrowed(read_options(flags, {}), PART))

    publish(root, url, tmp_path / "data")
    first = part("part")
    done = first.manager.refresh(FOREVER)
    assert (done.added, done.files) == (3, 3)
    first.manager.link(FOREVER)
    (root / "src/empty.py").unlink()
    changed = "from src.card import pay\n\n\ndef pay_much():\n    return pay(1000)\n"
    checkout(root, {"src/cash.py": changed, "src/refund.py": "def refund():\n    pass\n"})
    publish(root, url, tmp_path / "data")
    second = part("part")
    done = second.manager.refresh(FOREVER)
    assert (done.added, done.updated, done.removed, done.complete) == (1, 1, 1, True)
    fresh = part("other")
    fresh.manager.refresh(FOREVER)
    assert files_in(second.manager.snapshot()) == files_in(fresh.manager.snapshot())
    for parts in (second, fresh):
        parts.manager.tidy(FOREVER, full=True)
        parts.manager.link(FOREVER)
        assert parts.manager.graph().current
    assert segment_names(second.manager.single) == segment_names(fresh.manager.single)
