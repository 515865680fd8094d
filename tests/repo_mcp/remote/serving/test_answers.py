"""A published root answers as a checkout of the same commit."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.repo_mcp.remote.serving.published import TREE, checkout, publish
from tests.repo_mcp.workspace.workspaces import call, serve, text_of

pytestmark = pytest.mark.servers

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("repo.search", {"query": "pay with a card"}),
    ("repo.search", {"query": "vualt"}),
    ("repo.search", {"query": "bezahlen"}),
    ("repo.search", {"query": "abracadabra"}),
    ("repo.search", {"query": "made"}),
    ("repo.search", {"query": "open_vault", "mode": "literal"}),
    ("repo.search", {"query": "open_.*t", "mode": "regex"}),
    ("repo.search", {"query": "def $NAME($$$ARGS): $$$BODY", "mode": "structure"}),
    ("repo.search", {"query": "pay", "facets_below": ""}),
    ("repo.search", {"query": "pay", "file_glob": "src/**"}),
    ("repo.symbol", {"name": "pay"}),
    ("repo.symbol", {"name": "open_vualt"}),
    ("repo.outline", {"path": "src"}),
    ("repo.outline", {"path": "src/vault.py"}),
    ("repo.open_file", {"path": "src/card.py"}),
    ("repo.open_file", {"path": "src/empty.py"}),
    ("repo.open_file", {"path": "src/link.py"}),
    ("repo.open_file", {"path": "docs/umlaut ä.md", "start_line": 3}),
    ("repo.open_file", {"path": "docs/long.txt"}),
    ("repo.open_file", {"path": "src/.env"}),
    ("repo.open_file", {"path": "src/cart.py"}),
    ("repo.open_file", {"path": "src"}),
    ("repo.open_file", {"path": "../x"}),
    ("repo.open_file", {"path": ".git/config"}),
    ("repo.list_files", {}),
    ("repo.list_files", {"glob": "docs/**"}),
    ("repo.list_files", {"glob": "**/*.png"}),
    ("repo.ask", {"question": "where is the vault opened"}),
    ("repo.ask", {"names": ["open_vault"], "want": "uses"}),
    ("repo.ask", {"names": ["pay"], "want": "tests"}),
    ("repo.ask", {"want": "tour"}),
    ("repo.build_context_bundle", {"prompt": "pay with a card from the vault"}),
    ("list_directory", {}),
    ("list_directory", {"path": "docs"}),
    ("get_directory_tree", {}),
    ("search_symbols", {"query": "vault"}),
    ("get_references", {"symbol": "open_vault"}),
    ("get_callers", {"symbol": "pay"}),
    ("read_file", {"path": "src/card.py"}),
)

_PAST = re.compile(r"^last changed: .*\n| \(last changed .*\)| +$", re.MULTILINE)


def test_answers_are_those_of_a_checkout(tmp_path: Path) -> None:
    root = checkout(tmp_path / "shop", TREE)
    url = (tmp_path / "store").as_uri()
    publish(root, url, tmp_path / "data")
    with (
        serve(("repo_root", str(root)), data=tmp_path / "one") as checked_out,
        serve(("repo_root", url), data=tmp_path / "two") as published,
    ):
        call(checked_out, "repo.refresh_index")
        call(checked_out, "repo.symbol", name="pay")
        asked = [(tool, given) for tool, given in CALLS if published.has_tool(tool)]
        assert len(asked) > 35
        for tool, given in asked:
            wanted = without_past(text_of(checked_out, tool, **given))
            assert without_past(text_of(published, tool, **given)) == wanted, (tool, given)


def test_what_is_not_published_is_not_there(tmp_path: Path) -> None:
    root = checkout(tmp_path / "shop", TREE)
    url = (tmp_path / "store").as_uri()
    publish(root, url, tmp_path / "data")
    with serve(("repo_root", url), data=tmp_path / "two") as published:
        for path in ("build/made.py", "src/out.py", "env", "env/card.py"):
            assert "not_found" in text_of(published, "repo.open_file", path=path), path
        assert "binary_file" in text_of(published, "repo.open_file", path="docs/logo.png")
        assert "file_too_large" in text_of(published, "repo.open_file", path="docs/long.txt")
        assert "no_history" in text_of(published, "repo.history")
    kept = b"".join(path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file())
    for hidden in (b"abracadabra", b"TOKEN", b"made.py"):
        assert hidden not in kept


def without_past(text: str) -> str:
    """An answer without what `.git` alone tells."""
    return _PAST.sub("", text)
