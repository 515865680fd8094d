"""The Python interface answers what the commands answer, inside the same fence."""

from __future__ import annotations

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import repo_mcp
from index_format.layout import SEGMENT_NAME
from repo_mcp import LocalRepository, Problem
from repo_mcp.settings import ConfigError
from tests.repo_mcp.git.made_history import HistoryMaker, run_git
from tests.repo_mcp.trees import write

FILES: dict[str, str | bytes] = {
    "src/links.py": "def resolve_links(path):\n    '''Follow links.'''\n    return path\n",
    "src/other.py": "import links\n\nVALUE = 1\n",
    ".env": "TOKEN=hidden\n",
    "picture.txt": "a\0b",
}


def opened(tmp_path: Path) -> LocalRepository:
    root = write(tmp_path / "root", FILES)
    return repo_mcp.open(root, data_dir=tmp_path / "data")


def test_a_search_finds_the_declaration_first(tmp_path: Path) -> None:
    with opened(tmp_path) as repository:
        answer = repository.search("resolveLinks", limit=1)
    assert [(hit.path, hit.start_line, hit.symbol) for hit in answer.hits] == [
        ("src/links.py", 1, "resolve_links")
    ]
    assert not (tmp_path / "root" / ".repo_mcp").exists()


def test_lines_are_found_by_text_and_by_expression(tmp_path: Path) -> None:
    with opened(tmp_path) as repository:
        texts = repository.find_lines("VALUE").matches
        expressions = repository.find_lines(r"^def \w+", regex=True, limit=None).matches
        folded = repository.find_lines("value", ignore_case=True, whole_word=True).matches
    assert [(match.path, match.line) for match in texts] == [("src/other.py", 3)]
    assert [(match.path, match.line) for match in expressions] == [("src/links.py", 1)]
    assert [match.text for match in folded] == ["VALUE = 1"]


def test_code_is_found_by_its_shape(tmp_path: Path) -> None:
    with opened(tmp_path) as repository:
        (match,) = repository.find_structure("VALUE = $A", language="python").matches
    assert (match.path, match.line, match.text) == ("src/other.py", 3, "VALUE = 1")
    assert [tree.bindings for tree in match.trees] == [(("A", "1"),)]


def test_a_change_is_seen_after_a_refresh(tmp_path: Path) -> None:
    with opened(tmp_path) as repository:
        write(tmp_path / "root", {"src/new.py": "NEEDLE = 2\n"})
        assert "src/new.py" not in repository.files()
        assert repository.refresh().added == 1
        assert [hit.path for hit in repository.search("needle").hits] == ["src/new.py"]


def test_without_a_refresh_the_index_is_taken_as_it_is(tmp_path: Path) -> None:
    opened(tmp_path).close()
    write(tmp_path / "root", {"src/new.py": "NEEDLE = 2\n"})
    found = repo_mcp.open(tmp_path / "root", data_dir=tmp_path / "data", refresh=False)
    with found as repository:
        assert repository.files() == ["src/links.py", "src/other.py"]


def test_lines_of_a_file_are_those_on_disk(tmp_path: Path) -> None:
    with opened(tmp_path) as repository:
        assert repository.read("src/other.py", 2, 3) == ["", "VALUE = 1"]
        assert repository.read("src/links.py")[0] == "def resolve_links(path):"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../data", "path_outside"),
        (".env", "path_denied"),
        ("src/none.py", "not_found"),
        ("picture.txt", "binary_file"),
    ],
)
def test_the_fence_is_that_of_the_server(tmp_path: Path, path: str, code: str) -> None:
    with opened(tmp_path) as repository, pytest.raises(Problem) as raised:
        repository.read(path)
    assert raised.value.code == code


def test_a_damaged_index_is_rebuilt(tmp_path: Path) -> None:
    opened(tmp_path).close()
    files = [file for file in (tmp_path / "data").rglob("*") if SEGMENT_NAME.fullmatch(file.name)]
    assert files
    for segment in files:
        segment.write_bytes(segment.read_bytes()[:-40] + bytes(40))
    with repo_mcp.open(tmp_path / "root", data_dir=tmp_path / "data", refresh=False) as repository:
        assert [hit.path for hit in repository.search("value").hits] == ["src/other.py"]


def test_a_search_that_runs_out_of_time_says_so(tmp_path: Path) -> None:
    with opened(tmp_path) as repository:
        assert repository.find_lines("VALUE", seconds=None).complete
        assert not repository.find_lines("VALUE", seconds=0).complete


def test_threads_search_at_once(tmp_path: Path) -> None:
    with opened(tmp_path) as repository, ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(repository.search, ["resolve links", "value"] * 8))
    assert answers == answers[:2] * 8


@pytest.mark.servers
def test_importing_the_package_loads_nothing_of_it() -> None:
    code = "import sys, repo_mcp; print([n for n in sys.modules if n.startswith('repo_mcp.')])"
    run = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_like_this"):
        _ = repo_mcp.nothing_like_this


def test_several_roots_are_opened_as_one(tmp_path: Path) -> None:
    write(tmp_path / "more", {"uses.py": "from links import resolve_links\n"})
    write(tmp_path / "root", FILES)
    roots: dict[str, str | Path] = {"lib": tmp_path / "root", "app": str(tmp_path / "more")}
    with repo_mcp.open(roots, data_dir=tmp_path / "data") as repository:
        found = repository.find_lines("resolve_links")
        assert {match.path for match in found.matches} == {"lib/src/links.py", "app/uses.py"}
        assert repository.read("app/uses.py") == ["from links import resolve_links"]
        with pytest.raises(Problem) as caught:
            repository.read("lib/.env")
        assert caught.value.code == "path_denied"


@pytest.mark.servers
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_past_is_asked(tmp_path: Path) -> None:
    root = tmp_path / "past"
    HistoryMaker(3).make(root, 20)
    with repo_mcp.open(root, data_dir=tmp_path / "data") as repository:
        found = [entry.commit for entry in repository.history(limit=50).commits]
        assert found == run_git(root, "log", "--format=%H").decode().split()
        path = run_git(root, "ls-files").decode().split()[0]
        assert repository.history(path, about="people").people
        assert repository.history(path, lines="1", ignore_blanks=True, copies=True).blame
        with pytest.raises(repo_mcp.Problem) as refused:
            repository.history(rev="nothing")
    assert refused.value.code == "argument_invalid"


@pytest.mark.parametrize("root", ["a\0b", {"one": "a\0b"}, {"one": "\ud800"}])
def test_a_text_that_can_be_no_path_is_refused(root: str | dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="no path"):
        repo_mcp.open(root)
