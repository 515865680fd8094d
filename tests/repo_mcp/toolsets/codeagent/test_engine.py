"""`index_files` and `get_status`: updates of single files, and the state of the index."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from index_format.layout import FORMAT_VERSION
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.background import BackgroundRefresh
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.model import IndexState, Progress
from repo_mcp.toolsets.codeagent.declarations import MOST_PATHS
from repo_mcp.toolsets.codeagent.engine import SymbolCounts
from repo_mcp.vectors.choice import open_embedder
from tests.repo_mcp.toolsets.codeagent.calls import Caller
from tests.repo_mcp.trees import FOREVER, indexed, write

FILES: dict[str, str | bytes] = {
    ".env": "TOKEN=hidden",
    ".gitignore": "*.log\n",
    "README.md": "# Title\n\n## Part\n",
    "docs/logo.png": b"\x89PNG\r\n\x1a\n\0",
    "src/a.py": "def a():\n    pass\n\n\nclass B:\n    def c(self): ...\n",
    "src/b.ts": "export function b(): void {}\n",
    "src/binary.py": b"\0\1",
    "src/data.unknown": b"\0",
    "src/large.py": "x = 1\n" * 5_000,
    "trace.log": "",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", FILES)


@pytest.fixture
def call(root: Path, tmp_path: Path) -> Caller:
    return Caller(root, tmp_path / "data", limits={"max_file_bytes": 20_000})


def manager_of(call: Caller) -> IndexManager:
    return call.app.services.running().tools.repository.manager.single


def whole(call: Caller) -> None:
    """Index all there is."""
    call.app.services.running().background.refresh(FOREVER)


@pytest.mark.requirement("CAE-index_files")
def test_files_are_indexed_through_the_one_way(call: Caller) -> None:
    assert call("index_files", paths=["src/a.py", "README.md", "src/a.py"]) == {
        "indexed": 2,
        "errors": [],
    }
    assert {"README.md", "src/a.py"} <= set(indexed(manager_of(call)))


@pytest.mark.requirement("CAE-index_files")
def test_a_change_is_in_the_index_when_the_call_ends(call: Caller, root: Path) -> None:
    whole(call)
    write(root, {"src/a.py": "zebra = 1\n", "src/new.py": "okapi = 2\n"})
    assert call("index_files", paths=["src/a.py", "src/new.py"])["indexed"] == 2
    snapshot = manager_of(call).snapshot()
    assert snapshot is not None
    terms = set(snapshot.terms(0))
    assert {b"zebra", b"okapi"} <= terms
    (root / "src" / "new.py").unlink()
    gone = call("index_files", paths=["src/new.py"])
    assert (gone["indexed"], gone["errors"][0]["code"]) == (0, "not_found")
    assert "src/new.py" not in indexed(manager_of(call))


@pytest.mark.requirement("CAE-index_files", "CAE-errors")
@pytest.mark.parametrize(
    ("path", "code", "said"),
    [
        ("none.py", "not_found", "no such file"),
        ("src", "invalid_parameter", "not a regular file"),
        ("", "invalid_parameter", "not a regular file"),
        ("../root/src/a.py", "path_escape", "outside"),
        ("src/../../a.py", "path_escape", "outside"),
        ("/etc/passwd", "path_escape", "outside"),
        (".env", "not_found", "blocked"),
        ("trace.log", "invalid_parameter", ".gitignore"),
        ("docs/logo.png", "binary_file", "image/png"),
        ("src/binary.py", "binary_file", "application/octet-stream"),
        ("src/data.unknown", "binary_file", "application/octet-stream"),
        ("src/large.py", "too_large", "20000 bytes"),
        ("a\nb", "invalid_parameter", "control characters"),
    ],
)
def test_each_file_has_its_own_error(call: Caller, path: str, code: str, said: str) -> None:
    found = call("index_files", paths=["src/b.ts", path])
    assert found["indexed"] == 1
    (error,) = found["errors"]
    assert (error["path"], error["code"], said in error["message"]) == (path, code, True)


@pytest.mark.skipif(os.name == "nt", reason="links and pipes")
def test_links_and_special_files_are_not_indexed(call: Caller, root: Path, tmp_path: Path) -> None:
    write(tmp_path, {"outside/there.py": "secret = 1"})
    (root / "in.py").symlink_to("src/a.py")
    (root / "out.py").symlink_to("../outside/there.py")
    (root / "folder").symlink_to("../outside")
    os.mkfifo(root / "pipe.py")
    os.link(tmp_path / "outside" / "there.py", root / "second.py")
    paths = ["in.py", "out.py", "folder/there.py", "pipe.py", "second.py"]
    found = call("index_files", paths=paths)
    assert found["indexed"] == 0
    assert [item["code"] for item in found["errors"]] == [
        "invalid_parameter",
        "invalid_parameter",
        "invalid_parameter",
        "invalid_parameter",
        "path_escape",
    ]
    whole(call)
    assert not set(paths) & set(indexed(manager_of(call)))


@pytest.mark.requirement("CAE-index_files", "CAE-errors")
def test_a_hundred_paths_are_taken_and_no_more(call: Caller, root: Path) -> None:
    names = [f"many/{number:03}.md" for number in range(MOST_PATHS + 1)]
    write(root, dict.fromkeys(names, "# x\n"))
    assert call("index_files", paths=names[:-1]) == {"indexed": MOST_PATHS, "errors": []}
    error = call.error("index_files", paths=names)
    assert (error["code"], "101 paths, at most 100" in error["message"]) == ("too_large", True)
    assert names[-1] not in indexed(manager_of(call))


@pytest.mark.parametrize(
    ("given", "count"),
    [(["src/a.py"], 1), ("src/a.py", 1), ('["src/a.py", "README.md"]', 2), ([], 0), ("[]", 0)],
)
def test_paths_may_be_written_in_several_ways(call: Caller, given: object, count: int) -> None:
    assert call("index_files", paths=given) == {"indexed": count, "errors": []}


@pytest.mark.requirement("CAE-errors")
@pytest.mark.parametrize("given", [None, 7, [7], {"a": 1}, ["src/a.py", None]])
def test_what_is_no_list_of_paths_is_refused(call: Caller, given: object) -> None:
    assert call.code("index_files", paths=given) == "invalid_parameter"


def test_nothing_of_the_repository_is_changed(call: Caller, root: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in sorted(root.rglob("*"))}
    call("index_files", paths=list(FILES))
    call("get_status")
    assert {path: path.stat().st_mtime_ns for path in sorted(root.rglob("*"))} == before


def test_files_for_which_there_was_no_time_are_named(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("list_directory")
    monkeypatch.setattr(IndexManager, "refresh_paths", lambda *_, **__: None)
    monkeypatch.setattr(Budget, "spent", property(lambda _: True))
    (error,) = call("index_files", paths=["src/a.py"])["errors"]
    assert (error["code"], "no time" in error["message"]) == ("index_error", True)


@pytest.mark.parametrize("index", ["missing", "partial", "ready"])
def test_while_all_files_are_indexed_the_call_says_so(
    call: Caller, monkeypatch: pytest.MonkeyPatch, index: str
) -> None:
    call("list_directory")
    state = IndexState(index, 1, 3, "", progress=Progress("words", 3, 9, 0, 0, 1.0))

    def busy(*_: object, **__: object) -> None:
        raise Problem("index_busy")

    monkeypatch.setattr(IndexManager, "refresh_paths", busy)
    monkeypatch.setattr(IndexManager, "state", lambda _: state)
    error = call.error("index_files", paths=["src/a.py"])
    assert (error["code"], "words 3 of 9" in error["message"]) == ("engine_unavailable", True)
    assert ("for the first time" in error["message"]) is (index == "missing")


@pytest.mark.requirement("CAE-get_status")
def test_the_status_has_all_that_the_document_names(call: Caller) -> None:
    whole(call)
    found = call("get_status")
    time = found.pop("last_batch_at")
    assert time.endswith("Z")
    assert found == {
        "healthy": True,
        "schema_version": FORMAT_VERSION,
        "indexed_files": 4,
        "indexed_symbols": 6,
        "languages": ["markdown", "python", "typescript"],
        "watcher_active": False,
        "embedding_model": open_embedder("").name,
        "embeddings_count": 4,
    }


@pytest.mark.requirement("CAE-get_status")
def test_the_status_follows_what_is_indexed(call: Caller, root: Path) -> None:
    whole(call)
    before = call("get_status")
    write(root, {"src/c.cs": "class C { void D() {} }\n", "src/a.py": "x = 1\n"})
    call("index_files", paths=["src/c.cs", "src/a.py"])
    after = call("get_status")
    assert after["indexed_files"] == before["indexed_files"] + 1
    assert after["indexed_symbols"] == before["indexed_symbols"] + 2 - 3 + 1
    assert after["languages"] == ["csharp", "markdown", "python", "typescript"]


def test_before_anything_is_indexed_the_status_says_so(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BackgroundRefresh, "freshen", lambda _: None)
    found = call("get_status")
    assert (found["healthy"], found["indexed_files"], found["last_batch_at"]) == (True, 0, "")
    assert found["warnings"] == ["not all files are indexed yet"]


@pytest.mark.requirement("CAE-get_status")
def test_the_status_tells_no_path_and_no_secret(root: Path, tmp_path: Path) -> None:
    write(root, {"repo_mcp.toml": "[security]\ndeny_globs = ['hush/**']\n[nonsense]\nx = 'hush'\n"})
    call = Caller(root, tmp_path / "data", deny_globs=("hush-hush",))
    whole(call)
    said = json.dumps(call.answer("get_status"))
    for secret in (str(tmp_path), "root", "hush", "nonsense", "hidden", "src/", ".py"):
        assert secret not in said


@pytest.mark.skipif(os.name == "nt", reason="links")
@pytest.mark.requirement("CAE-get_status", "CAE-errors")
def test_an_index_that_can_not_be_used_is_not_healthy(root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (root / "data").symlink_to(tmp_path / "elsewhere")
    call = Caller(root, root / "data")
    found = call("get_status")
    assert (found["healthy"], found["indexed_files"]) == (False, 0)
    assert "is a link" in found["warnings"][0]
    assert call.code("index_files", paths=["src/a.py"]) == "engine_unavailable"


@pytest.mark.requirement("CAE-errors")
def test_an_index_that_can_not_be_written_is_an_index_error(root: Path, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    call = Caller(root, tmp_path / "data")
    assert call.code("index_files", paths=["src/a.py"]) == "index_error"


@pytest.mark.requirement("CAE-get_status")
def test_a_refresh_that_failed_is_told(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise Problem("workers_end", "/some/where")

    monkeypatch.setattr(IndexManager, "refresh", fails)
    with pytest.raises(Problem):
        whole(call)
    found = call("get_status")
    assert found["healthy"] is False
    assert "end before their work is done" in found["warnings"][0]
    assert "/some/where" not in json.dumps(found)


@pytest.mark.requirement("CAE-errors")
@pytest.mark.parametrize("name", ["get_status", "list_directory"])
def test_without_a_repository_the_engine_is_unavailable(tmp_path: Path, name: str) -> None:
    call = Caller(tmp_path / "none", tmp_path / "data")
    assert call.code(name) == "engine_unavailable"


def test_segments_are_counted_once(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    whole(call)
    snapshot = manager_of(call).snapshot()
    assert snapshot is not None
    counts = SymbolCounts(manager_of(call).languages)
    first = counts.of(snapshot, FOREVER)
    monkeypatch.setattr("repo_mcp.toolsets.codeagent.engine._count_segment", None)
    assert counts.of(snapshot, FOREVER) == first
