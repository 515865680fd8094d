"""A server follows a label, says when it falls behind, and answers from other publications."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from repo_mcp import remote
from repo_mcp.app import App
from repo_mcp.errors import Problem
from repo_mcp.remote import serving
from repo_mcp.remote.serving import Replica
from repo_mcp.settings import read_options
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.remote.serving.published import TREE, checkout, commit_of, publish
from tests.repo_mcp.trees import FOREVER
from tests.repo_mcp.workspace.workspaces import call, text_of

pytestmark = pytest.mark.servers

LATER = serving.FOLLOWING_SECONDS + 1.0


class Shop:
    """A checkout that is published, and a server that has what is published alone."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.store = top / "store"
        self.root = top / "shop"
        self.clock = Clock()
        self.pending: list[Callable[[], None]] = []
        self.commits: list[str] = []
        self.change(TREE)

    @property
    def url(self) -> str:
        return self.store.as_uri()

    def change(self, files: dict[str, str | bytes], **options: Any) -> str:  # noqa: ANN401 of publishing
        """Publish a further commit."""
        checkout(self.root, files)
        publish(self.root, self.url, self.top / "data", **options)
        self.commits.append(commit_of(self.root))
        return self.commits[-1]

    def open(self, *flags: tuple[str, str]) -> App:
        given = [
            ("repo_root", self.url),
            ("data_dir", str(self.top / "replica")),
            ("index_share", "never"),
        ]
        return App(read_options([*given, *flags], {}), self.clock, links_ahead=False)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """Looks at labels wait until the test lets them happen."""
    made = Shop(tmp_path)

    def hold(*given: Any, **named: Any) -> Replica:  # noqa: ANN401 as a replica has them
        return Replica(*given, start=made.pending.append, wall_clock=lambda: 1.8e9, **named)

    monkeypatch.setattr(remote, "Replica", hold, raising=False)
    return made


@pytest.fixture
def app(shop: Shop) -> Iterator[App]:
    opened = shop.open()
    yield opened
    opened.services.close()


def look(shop: Shop, app: App) -> None:
    """Let the server look at its label, after the time that has to pass."""
    shop.clock.advance(LATER)
    call(app, "repo.status")
    assert len(shop.pending) == 1
    shop.pending.pop()()


def test_a_newer_publication_is_served_whole_between_calls(shop: Shop, app: App) -> None:
    assert "0 hits" in text_of(app, "repo.search", query="refund")
    before = app.services.running()
    newer = shop.change({"src/refund.py": "def refund(card):\n    return card\n"})
    assert "0 hits" in text_of(app, "repo.search", query="refund")
    assert not shop.pending  # not before its time
    shop.clock.advance(LATER)
    assert "0 hits" in text_of(app, "repo.search", query="refund")
    assert "0 hits" in text_of(app, "repo.search", query="refund")
    assert len(shop.pending) == 1  # and one look at a time
    shop.pending.pop()()
    answer = text_of(app, "repo.search", query="refund")
    assert "src/refund.py" in answer
    assert "something newer is published" in answer
    assert "something newer" not in text_of(app, "repo.search", query="refund")
    assert newer[:12] in text_of(app, "repo.status")
    # who began before goes on with what it began with
    sandbox = before.tools.repository.sandbox
    assert b"Pay with a card" in sandbox.read("src/card.py").data
    with pytest.raises(Problem, match="no such file"):
        sandbox.read("src/refund.py")


def test_segments_that_are_here_are_not_copied_again(shop: Shop) -> None:
    def segments(app: App) -> dict[str, int]:
        manager = app.services.repository().manager
        manager.copy(FOREVER)
        return {path.name: path.stat().st_ino for path in Path(manager.index_dir).rglob("seg-*")}

    app = shop.open()
    text_of(app, "repo.search", query="pay")
    before = segments(app)
    assert len(before) == 3
    shop.change({"src/refund.py": "def refund(card):\n    return card\n"})
    look(shop, app)
    text_of(app, "repo.search", query="pay")
    after = segments(app)
    assert len(after) > 3
    kept = before.keys() & after.keys()
    assert kept
    assert all(before[name] == after[name] for name in kept)
    app.services.close()


def test_a_store_that_is_gone_is_told_and_what_was_served_is_served_on(
    shop: Shop, app: App
) -> None:
    assert "open_vault" in text_of(app, "repo.open_file", path="src/card.py")
    away = shop.store.rename(shop.top / "away")
    look(shop, app)
    answer = text_of(app, "repo.open_file", path="src/card.py")
    assert "open_vault" in answer
    assert f"commit {shop.commits[0][:12]} is served since" in answer
    assert "what main names is unknown since" in answer
    assert "what main names is unknown" in text_of(app, "repo.status")
    # a server that starts meanwhile serves what was served last
    again = shop.open()
    assert "what main names is unknown" in text_of(again, "repo.open_file", path="src/card.py")
    again.services.close()
    away.rename(shop.store)
    look(shop, app)
    assert "unknown since" not in text_of(app, "repo.open_file", path="src/card.py")


def test_what_can_not_be_taken_over_is_told(shop: Shop, app: App) -> None:
    text_of(app, "repo.open_file", path="src/card.py")
    shop.change({"src/refund.py": "def refund(card):\n    return card\n"})
    packs = shop.store / "v1" / "texts"
    trees = {path: path.read_bytes() for path in packs.glob("tree-*")}
    for path in trees:
        path.write_bytes(b"nothing")
    look(shop, app)
    answer = text_of(app, "repo.search", query="refund")
    assert "0 hits" in answer
    assert "main names " in answer
    assert "is not taken over" in answer
    assert "damaged" in answer
    for path, data in trees.items():
        path.write_bytes(data)
    look(shop, app)
    assert "src/refund.py" in text_of(app, "repo.search", query="refund")


def test_an_index_of_other_settings_is_not_taken_over(shop: Shop, app: App) -> None:
    text_of(app, "repo.search", query="pay")
    newer = shop.change({"src/refund.py": "def refund():\n    pass\n"}, chunk_lines=30)
    look(shop, app)
    answer = text_of(app, "repo.search", query="refund")
    assert "0 hits" in answer
    assert f"main names {newer[:12]}" in answer
    assert "chunk_lines" in answer
    # a server that starts then builds an index of its own from the published texts
    again = shop.open(("data_dir", str(shop.top / "other")))
    assert call(again, "repo.refresh_index")
    assert "src/refund.py" in text_of(again, "repo.search", query="refund")
    again.services.close()


def test_the_settings_file_of_a_tree_rules_it(shop: Shop, app: App) -> None:
    text_of(app, "repo.search", query="pay")
    shop.change(
        {"repo_mcp.toml": "[index]\nfrom = 's3://evil'\n[limits]\nmax_file_bytes = 70000\n"}
    )
    look(shop, app)
    answer = text_of(app, "repo.search", query="pay")
    assert "is not taken over" not in answer
    assert "a repository can't set index_from" in answer


def test_other_publications_are_asked_by_label_or_commit(shop: Shop, app: App) -> None:
    first = shop.commits[0]
    second = shop.change({"src/card.py": "def pay(card):\n    return 2\n"}, label="release-2")
    for name in ("release-2", second, second[:7]):
        answer = text_of(app, "repo.open_file", path="src/card.py", rev=name)
        assert "return 2" in answer
        assert second[:12] in answer
        found = text_of(app, "repo.search", query=f"pay rev:{name}")
        assert "src/cash.py" in found
    assert "return open_vault" in text_of(app, "repo.open_file", path="src/card.py", rev=first)
    unknown = text_of(app, "repo.open_file", path="src/card.py", rev="v9")
    assert "labels: main, release-2" in unknown
    assert first[:12] in unknown
    assert second[:12] in unknown


def test_the_label_of_an_address_is_followed(shop: Shop) -> None:
    shop.change({"src/card.py": "def pay(card):\n    return 2\n"}, label="release-2")
    app = shop.open(("repo_root", f"{shop.url}#release-2"))
    assert "return 2" in text_of(app, "repo.open_file", path="src/card.py")
    app.services.close()
