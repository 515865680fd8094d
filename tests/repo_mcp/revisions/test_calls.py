"""Tools answer from a revision where a call names one, and from the files as they are else."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import repo_mcp
from repo_mcp.app import App
from repo_mcp.errors import Problem
from repo_mcp.settings import Options
from repo_mcp.settings.workspace_roots import roots_of_names
from tests.repo_mcp.git.gaps import blob_of, delete_object
from tests.repo_mcp.git.made_history import run_git
from tests.repo_mcp.tree_files import write

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]

Answer = Callable[[str, Mapping[str, Any]], str]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    write(
        root,
        {
            "tax.py": "def old_tax(price):\n    return price\n",
            "till.py": "from tax import old_tax\n\n\ndef pay():\n    return old_tax(1)\n",
            "gone.py": "GONE = 1\n",
            ".env": "SECRET=1\n",
        },
    )
    run_git(root, "init", "-q", "-b", "main")
    run_git(root, "add", "-A", "-f")
    run_git(root, "commit", "-qm", "first tax")
    run_git(root, "tag", "v1")
    write(
        root,
        {
            "tax.py": "def new_tax(price):\n    return price\n",
            "till.py": "from tax import new_tax\n\n\ndef pay():\n    return new_tax(1)\n",
        },
    )
    (root / "gone.py").unlink()
    run_git(root, "add", "-A", "-f")
    run_git(root, "commit", "-qm", "second tax")
    return root


@pytest.fixture
def ask(root: Path, tmp_path: Path) -> Answer:
    app = App(Options(str(root), str(tmp_path / "data"), toolsets=("interrogator", "codeagent")))

    def asked(tool: str, arguments: Mapping[str, Any]) -> str:
        text: str = app.call(tool, arguments, lambda: False)["content"][0]["text"]
        return text

    return asked


@pytest.mark.parametrize(
    ("tool", "arguments", "found", "lacking"),
    [
        ("repo.search", {"query": "rev:v1 old_tax"}, "old_tax(price)", "new_tax"),
        ("repo.search", {"query": "old_tax", "rev": "v1"}, "old_tax(price)", "new_tax"),
        ("repo.search", {"query": "def", "mode": "literal", "rev": "v1"}, "old_tax", "new_tax"),
        ("repo.open_file", {"path": "rev:v1 gone.py"}, "GONE", "not found"),
        ("repo.open_file", {"path": "gone.py", "rev": "HEAD~1"}, "GONE", "not found"),
        ("repo.outline", {"path": "tax.py", "rev": "v1"}, "old_tax", "new_tax"),
        ("repo.symbol", {"name": "old_tax", "rev": "v1"}, "till.py", "new_tax"),
        ("repo.list_files", {"rev": "v1"}, "gone.py", "new"),
        ("repo.list_files", {"glob": "rev:v1 g*.py"}, "gone.py", "tax.py"),
        ("repo.build_context_bundle", {"prompt": "rev:v1 tax of a price"}, "old_tax", "new_tax"),
        ("search_symbols", {"query": "rev:v1 old_tax"}, "old_tax", "new_tax"),
    ],
)
def test_an_answer_is_of_the_revision_and_says_so(
    ask: Answer, tool: str, arguments: Mapping[str, Any], found: str, lacking: str
) -> None:
    text = ask(tool, arguments)
    assert found in text
    assert lacking not in text
    assert "first tax" in text


def test_an_answer_of_a_revision_keeps_its_own_warnings(ask: Answer) -> None:
    warning = "files of the rule .env may hold secrets"
    assert warning in ask("repo.list_files", {"glob": ".env"})
    told = ask("repo.list_files", {"glob": ".env", "rev": "v1"})
    assert "as of v1" in told
    assert warning in told


def test_other_answers_stay_those_of_the_files(ask: Answer) -> None:
    ask("repo.search", {"query": "rev:v1 old_tax"})
    assert "old_tax" not in ask("repo.list_files", {}) + ask("repo.outline", {"path": "tax.py"})
    assert "new_tax" in ask("repo.symbol", {"name": "new_tax"})
    # a text that is searched for is no condition
    assert "first tax" not in ask("repo.search", {"query": "rev:v1", "mode": "literal"})


def test_files_that_are_denied_now_are_denied_then(ask: Answer) -> None:
    assert "SECRET" not in ask("repo.open_file", {"path": ".env", "rev": "v1"})
    assert "SECRET=1" not in ask("repo.search", {"query": "SECRET", "mode": "literal", "rev": "v1"})


@pytest.mark.parametrize(
    "name",
    ["nothing", "v1..HEAD", "--help", "../x", "HEAD~99", "refs/../v1", "0000000", "v1^{tree}"],
)
def test_a_name_of_no_revision_is_said(ask: Answer, name: str) -> None:
    answer = ask("repo.search", {"query": "tax", "rev": name})
    assert "failed (argument_invalid)" in answer
    assert name.partition("~")[0][:5] in answer


def test_a_folder_without_git_says_so(tmp_path: Path) -> None:
    write(tmp_path / "plain", {"a.py": "a = 1\n"})
    app = App(Options(str(tmp_path / "plain"), str(tmp_path / "data")))
    answer = app.call("repo.search", {"query": "rev:v1 a"}, lambda: False)
    assert answer["isError"]
    assert "no_history" in answer["content"][0]["text"]


def test_a_revision_of_one_root_of_several(root: Path, tmp_path: Path) -> None:
    write(tmp_path / "other", {"other.py": "def other_tax():\n    pass\n"})
    mounts = roots_of_names({"shop": str(root), "other": str(tmp_path / "other")})
    app = App(Options(mounts[0].path, str(tmp_path / "data"), mounts=mounts))

    def ask(tool: str, arguments: Mapping[str, Any]) -> str:
        text: str = app.call(tool, arguments, lambda: False)["content"][0]["text"]
        return text

    assert "shop/tax.py" in ask("repo.search", {"query": "repo:shop rev:v1 old_tax"})
    assert "GONE" in ask("repo.open_file", {"path": "shop/gone.py", "rev": "v1"})
    assert "new_tax" in ask("repo.search", {"query": "new_tax"})
    assert "old_tax" in ask("repo.symbol", {"name": "old_tax", "rev": "v1"})
    assert "old_tax" in ask("repo.symbol", {"name": "repo:shop old_tax", "rev": "v1"})
    assert "old_tax" in ask("repo.outline", {"path": "shop/tax.py", "rev": "v1"})
    assert "no_history" in ask("repo.outline", {"path": "other/other.py", "rev": "v1"})
    assert "'v7'" in ask("repo.search", {"query": "tax repo:shop", "rev": "v7"})


def test_a_revision_that_several_roots_have_needs_a_name(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root, tmp_path / "copy")
    mounts = roots_of_names({"shop": str(root), "copy": str(tmp_path / "copy")})
    app = App(Options(mounts[0].path, str(tmp_path / "data"), mounts=mounts))
    answer = app.call("repo.search", {"query": "rev:v1 tax"}, lambda: False)
    assert answer["isError"]
    text = answer["content"][0]["text"]
    assert "name it as repo:NAME" in text
    assert "shop and copy have 'v1'" in text


def test_calls_of_revisions_are_in_the_log(root: Path, tmp_path: Path) -> None:
    app = App(Options(str(root), str(tmp_path / "data")))
    app.call("repo.open_file", {"path": "gone.py", "rev": "v1"}, lambda: False)
    rows = (tmp_path / "data/audit.jsonl").read_text().splitlines()
    assert json.loads(rows[-1])["arguments"]["rev"] == "v1"


def test_programs_open_revisions(root: Path, tmp_path: Path) -> None:
    with repo_mcp.open(root, data_dir=tmp_path / "data") as now, now.at("v1") as then:
        assert then.files() == ["gone.py", "tax.py", "till.py"]
        assert now.files() == ["tax.py", "till.py"]
        assert then.read("gone.py") == ["GONE = 1"]
        assert then.search("old_tax").hits
        with pytest.raises(Problem):
            now.at("nothing")


def test_programs_review_changes(root: Path, tmp_path: Path) -> None:
    write(root, {"test_till.py": "from till import pay\n\n\ndef test_pay():\n    pay()\n"})
    run_git(root, "add", "-A", "-f")
    run_git(root, "commit", "-qm", "a test")
    write(root, {"tax.py": "def other_tax(price):\n    return price\n"})
    with repo_mcp.open(root, data_dir=tmp_path / "data") as now:
        found = now.changes()
        assert [(item.verdict, item.path, item.line) for item in found.breaking] == [
            ("breaks", "till.py", 1),
            ("breaks", "till.py", 5),
        ]
        assert [item.path for item in found.tests] == ["test_till.py"]
        assert now.changes("HEAD").files == 1
        with pytest.raises(Problem):
            now.changes("HEAD", since="v1")


def test_a_revision_is_read_without_a_file_whose_object_is_missing(root: Path, ask: Answer) -> None:
    gone = blob_of(root, "v1:gone.py")
    delete_object(root, gone)
    assert "old_tax(price)" in ask("repo.search", {"query": "old_tax", "rev": "v1"})
    assert "till.py" in ask("repo.symbol", {"name": "old_tax", "rev": "v1"})
    assert "old_tax" in ask("repo.open_file", {"path": "tax.py", "rev": "v1"})
    refused = ask("repo.open_file", {"path": "gone.py", "rev": "v1"})
    assert f"gone.py (blob {gone[:12]} is not there)" in refused
