"""Answers to the bearer of a token are those of a tree that has the shown files alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.app import App
from repo_mcp.grants.grant import Grant
from repo_mcp.toolsets import COMPLETED
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.trees import write
from tests.repo_mcp.workspace.workspaces import call, serve, text_of

TREE: dict[str, str | bytes] = {
    "README.md": "# Shop\n\nThe vault is secret.\n",
    ".gitignore": "build/\n",
    "CODEOWNERS": "/secret/ @keepers\n/src/ @sellers\n",
    "package.json": '{"name": "shop", "workspaces": ["src", "secret"]}',
    "src/package.json": '{"name": "@shop/src", "dependencies": {"@shop/secret": "1"}}',
    "src/card.py": "from secret.vault import open_vault\n\n\ndef pay(card):\n"
    "    return open_vault(card)\n",
    "src/cash.py": "from src.card import pay\n\n\ndef pay_cash():\n    return pay(1)\n",
    "src/keys/private.py": "KEY = 'abracadabra'\n",
    "secret/package.json": '{"name": "@shop/secret"}',
    "secret/vault.py": "from src.card import pay\n\n\ndef open_vault(card):\n"
    '    """Open the strongroom."""\n    return pay(card)\n',
    "secret/.env": "TOKEN=1\n",
    "docs/pay.md": "How to pay: see src/card.py.\n",
}
PART = Grant(paths=("src", "docs", "!src/keys"))
SHOWN = tuple(path for path in TREE if path.startswith(("src/", "docs/")) and "keys" not in path)
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("repo.search", {"query": "vault"}),
    ("repo.search", {"query": "strongroom"}),
    ("repo.search", {"query": "stronroom"}),
    ("repo.search", {"query": "abracadabra OR card"}),
    ("repo.search", {"query": "vault", "file_glob": "secret/**"}),
    ("repo.search", {"query": "pay owner:keepers"}),
    ("repo.search", {"query": "pay package:@shop/secret"}),
    ("repo.search", {"query": "open_vault", "mode": "literal"}),
    ("repo.search", {"query": "open_.*t", "mode": "regex"}),
    ("repo.search", {"query": "pay", "facets_below": ""}),
    ("repo.symbol", {"name": "pay"}),
    ("repo.symbol", {"name": "open_vault"}),
    ("repo.symbol", {"name": "open_vualt"}),
    ("repo.outline", {"path": "secret"}),
    ("repo.outline", {"path": "secret/vault.py"}),
    ("repo.outline", {"path": "src/card.py"}),
    ("repo.open_file", {"path": "secret/vault.py"}),
    ("repo.open_file", {"path": "secret/vaul.py"}),
    ("repo.open_file", {"path": "secret/.env"}),
    ("repo.open_file", {"path": "src/keys/private.py"}),
    ("repo.open_file", {"path": "src/link.py"}),
    ("repo.open_file", {"path": "README.md"}),
    ("repo.open_file", {"path": "vault.py"}),
    ("repo.list_files", {}),
    ("repo.list_files", {"glob": "secret/**"}),
    ("repo.ask", {"question": "where is the vault opened"}),
    ("repo.ask", {"names": ["open_vault"], "want": "uses"}),
    ("repo.ask", {"names": ["pay"], "want": "tests"}),
    ("repo.ask", {"names": ["@shop/src"], "want": "packages"}),
    ("repo.ask", {"names": ["src/card.py"], "want": "owners"}),
    ("repo.ask", {"want": "tour"}),
    ("repo.bundle", {"task": "open the vault with a card"}),
    ("repo.history", {}),
    ("repo.history", {"path": "secret/vault.py"}),
    ("list_directory", {}),
    ("list_directory", {"path": "secret"}),
    ("get_directory_tree", {}),
    ("search_symbols", {"query": "vault"}),
)


def test_what_is_left_out_of_a_part_is_not_there(tmp_path: Path) -> None:
    """The same calls of a server of a part, and of one whose files were never written."""
    whole = write(tmp_path / "whole" / "shop", TREE)
    rest = write(tmp_path / "rest" / "shop", {path: TREE[path] for path in SHOWN})
    for root in (whole, rest):
        (root / "src" / "link.py").symlink_to("../secret/vault.py")
    with (
        serve(("repo_root", str(whole)), data=tmp_path / "data", grant=PART) as part,
        serve(("repo_root", str(rest)), data=tmp_path / "other") as alone,
    ):
        for app in (part, alone):
            call(app, "repo.refresh_index")
        served = {
            (tool, str(arguments)): (
                text_of(part, tool, **arguments),
                text_of(alone, tool, **arguments),
            )
            for tool, arguments in CALLS
            if part.has_tool(tool)
        }
        assert len(served) > 30
        for asked, (shown, wanted) in served.items():
            assert shown == wanted, asked
        listed = [[item["uri"] for item in app.resources()] for app in (part, alone)]
        assert listed[0] == listed[1]
        begun = {"type": "ref/resource", "uri": next(iter(COMPLETED))}
        completed = [
            app.complete(begun, COMPLETED[begun["uri"]], "s").values for app in (part, alone)
        ]
        assert completed[0] == completed[1]


def test_a_part_below_a_usual_data_folder_does_not_show_that(tmp_path: Path) -> None:
    root = write(tmp_path / "shop", TREE)
    data = root / ".repo_mcp"
    with serve(("repo_root", str(root)), data=data) as whole:
        call(whole, "repo.search", query="vault")
    with serve(("repo_root", str(root)), data=data, grant=Grant(paths=("!secret",))) as part:
        for path in (".repo_mcp/audit.jsonl", ".repo_mcp/index/manifest.json", ".REPO_MCP/origin"):
            assert "not_found" in text_of(part, "repo.open_file", path=path)
        assert ".repo_mcp" not in text_of(part, "list_directory")


@pytest.mark.parametrize("path", ["SECRET/vault.py", "secret./vault.py", "sec\u00adret/vault.py"])
def test_what_is_left_out_is_left_out_in_every_spelling(tmp_path: Path, path: str) -> None:
    """As a file system that folds names would open it."""
    root = write(tmp_path / "shop", {**TREE, path: "folded = 1\n"})
    with serve(
        ("repo_root", str(root)), data=tmp_path / "data", grant=Grant(paths=("!secret",))
    ) as part:
        assert "not_found" in text_of(part, "repo.open_file", path=path)
        assert "0 hits" in text_of(part, "repo.search", query="folded")


def clone(shop: Path, root: Path, *options: str) -> Path:
    root.parent.mkdir(exist_ok=True)
    git(root.parent, "clone", "-q", "--no-local", *options, str(shop), str(root))
    return root


def git(root: Path, *line: str) -> str:
    return run_git(root, *line).decode().strip()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a branch that is shown, one that is not, and a tag of that."""
    root = write(tmp_path_factory.mktemp("git") / "shop", TREE)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "open the shop")
    git(root, "checkout", "-q", "-b", "plans/merger")
    write(root, {"src/merger.py": "def merge_with_rival():\n    pass\n"})
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "plan the merger")
    git(root, "tag", "v9")
    git(root, "checkout", "-q", "main")
    return root


def past_calls(hidden: str, shown: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for rev in ("plans/merger", "v9", hidden, hidden[:10], f"{hidden[:10]}~1", "f" * 40, "ffff"):
        yield "repo.open_file", {"path": "src/card.py", "rev": rev}
        yield "repo.search", {"query": "merger", "rev": rev}
    for rev in ("main", shown, shown[:10], "HEAD", "HEAD~1"):
        yield "repo.open_file", {"path": "src/card.py", "rev": rev}
    yield "repo.search", {"query": "merger rev:plans/merger"}
    yield "repo.history", {}
    yield "repo.history", {"query": "merger"}
    yield "repo.ask", {"names": ["pay"], "want": "why"}
    yield "repo.symbol", {"name": "pay"}


@pytest.mark.servers
def test_commits_of_other_branches_are_not_there(shop: Path, tmp_path: Path) -> None:
    """The same calls of a server for one branch, and of a clone that has this branch alone."""
    hidden, shown = git(shop, "rev-parse", "v9"), git(shop, "rev-parse", "main")
    single = ("--single-branch", "--no-tags", "-b", "main")
    other = clone(shop, tmp_path / "clone" / "shop", *single)
    with (
        serve(
            ("repo_root", str(shop)), data=tmp_path / "data", grant=Grant(branches=("main",))
        ) as one,
        serve(("repo_root", str(other)), data=tmp_path / "other") as alone,
    ):
        for app in (one, alone):
            call(app, "repo.refresh_index")
        for tool, arguments in past_calls(hidden, shown):
            if one.has_tool(tool):
                assert text_of(one, tool, **arguments) == text_of(alone, tool, **arguments)


def of_branch(app: App, **arguments: str) -> str:
    return text_of(app, "repo.open_file", path="src/card.py", **arguments)


@pytest.mark.servers
def test_a_part_has_no_past_whatever_git_says(shop: Path, tmp_path: Path) -> None:
    """As a folder that is no checkout, also where its objects can't be read."""
    root = clone(shop, tmp_path / "shop", "--shared")
    with serve(("repo_root", str(root)), data=tmp_path / "data", grant=PART) as part:
        for tool, arguments in past_calls(git(shop, "rev-parse", "v9"), "main"):
            if part.has_tool(tool) and ("rev" in arguments or tool == "repo.history"):
                assert "no_history" in text_of(part, tool, **arguments), (tool, arguments)


@pytest.mark.servers
def test_files_of_a_branch_that_is_not_shown_are_not_served(shop: Path, tmp_path: Path) -> None:
    """A branch is named then; what is checked out may change while the server runs."""
    root = clone(shop, tmp_path / "shop")
    git(root, "checkout", "-q", "-b", "mine")
    write(root, {"src/mine.py": "mine = 1\n"})
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "mine alone")
    grant = Grant(branches=("main", "plans/*"))
    with serve(("repo_root", str(root)), data=tmp_path / "data", grant=grant) as app:
        assert "no branch that you may see" in of_branch(app)
        assert "no branch that you may see" in text_of(app, "repo.search", query="mine")
        assert "def pay" in of_branch(app, rev="main")
        assert "def pay" in of_branch(app, rev="origin/plans/merger")
        assert "is named 'mine'" in of_branch(app, rev="mine")
        git(root, "checkout", "-q", "main")
        assert "def pay" in of_branch(app)


@pytest.mark.servers
def test_a_branch_that_moves_shows_what_it_has_now(shop: Path, tmp_path: Path) -> None:
    root = clone(shop, tmp_path / "shop")
    hidden = git(shop, "rev-parse", "v9")
    with serve(
        ("repo_root", str(root)), data=tmp_path / "data", grant=Grant(branches=("main",))
    ) as app:
        assert "no branch, tag or commit" in of_branch(app, rev=hidden)
        git(root, "merge", "-q", "--ff-only", "v9")
        assert "def pay" in of_branch(app, rev=hidden)
        assert "def pay" in of_branch(app, rev="v9")
