"""The commands `publish` and `pull`, and the setting with which a first index is pulled."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

import pytest

from repo_mcp import dispatch
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.model import Progress
from repo_mcp.remote import publish_index, pull_index
from repo_mcp.services import Services, services
from repo_mcp.settings import Options
from tests.repo_mcp.cli.test_cli import run
from tests.repo_mcp.trees import FOREVER, CallbackListener, indexed, segment_names, write

pytestmark = pytest.mark.servers

pytest.importorskip("obstore", reason="the extra `cluster` is not installed")

TREE: dict[str, str | bytes] = {
    f"pkg/m{number}.py": f"import pkg.m{number // 2}\n\n\ndef call{number}():\n"
    f"    return pkg.m{number // 2}.call{number // 2}()\n"
    for number in range(40)
}
LABEL = "main"


@pytest.fixture
def url(tmp_path: Path) -> str:
    return (tmp_path / "published").as_uri()


def checkout(folder: Path, files: dict[str, str | bytes] | None = None, **options: Any) -> Services:  # noqa: ANN401 any option
    root = write(folder / "root", TREE if files is None else files)
    return services(Options(str(root), str(folder / "data"), **options))


def build(parts: Services) -> None:
    parts.manager.refresh(FOREVER)
    parts.manager.tidy(FOREVER)
    parts.manager.link(FOREVER)


def publish(parts: Services, url: str) -> None:
    publish_index(parts.settings, parts.manager.single, url, FOREVER)


def test_a_second_checkout_has_the_same_segments_and_graph(tmp_path: Path, url: str) -> None:
    first, second = checkout(tmp_path / "one"), checkout(tmp_path / "two")
    build(first)
    publish(first, url)
    report = pull_index(second.settings, second.manager.single, url, LABEL, FOREVER)
    assert report.fetched == report.segments == 3
    assert segment_names(second.manager.single) == segment_names(first.manager.single)
    assert second.manager.graph().current
    done = second.manager.refresh(FOREVER)
    assert (done.added, done.updated, done.removed, done.complete) == (0, 0, 0, True)
    assert segment_names(second.manager.single) == segment_names(first.manager.single)
    names = [entry.name for entry in graph_of(second)]
    assert names == [entry.name for entry in graph_of(first)]


def graph_of(parts: Services) -> Any:  # noqa: ANN401 entries
    snapshot = parts.manager.graph().snapshot
    assert snapshot is not None
    return snapshot.manifest.segments


def test_edits_whose_declarations_are_not_indexed_yet_are_published_with_them(
    tmp_path: Path, url: str
) -> None:
    first, second = checkout(tmp_path / "one"), checkout(tmp_path / "two")
    build(first)
    write(Path(first.settings.root), {"pkg/m7.py": "def changed():\n    return 7\n"})
    assert not first.manager.refresh_paths(["pkg/m7.py"], FOREVER, deep=False).complete
    publish(first, url)
    pull_index(second.settings, second.manager.single, url, LABEL, FOREVER)
    first.manager.refresh(FOREVER)
    assert segment_names(second.manager.single) == segment_names(first.manager.single)


def test_publishing_waits_for_other_writers(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = checkout(tmp_path / "one")
    busy = {"link": 2, "tidy": 1}

    def once_free(name: str) -> None:
        step = getattr(IndexManager, name)

        def attempt(*given: Any, **named: Any) -> Any:  # noqa: ANN401 as the step has them
            busy[name] -= 1
            if busy[name] >= 0:
                raise Problem("index_busy")
            return step(*given, **named)

        monkeypatch.setattr(IndexManager, name, attempt)

    once_free("link")
    once_free("tidy")
    place = ["--repo-root", first.settings.root, "--data-dir", str(tmp_path / "one/data")]
    monkeypatch.setattr("sys.argv", ["repo-mcp", "publish", url, *place])
    assert dispatch.run() == 0
    assert busy == {"link": -1, "tidy": -1}
    second = checkout(tmp_path / "two")
    pull_index(second.settings, second.manager.single, url, LABEL, FOREVER)
    assert second.manager.graph().current


def test_one_changed_file_costs_one(tmp_path: Path, url: str) -> None:
    first = checkout(tmp_path / "one")
    build(first)
    publish(first, url)
    changed = {**TREE, "pkg/m7.py": "def changed():\n    return 7\n"}
    del changed["pkg/m9.py"]
    second = checkout(tmp_path / "two", changed)
    pull_index(second.settings, second.manager.single, url, LABEL, FOREVER)
    done = second.manager.refresh(FOREVER)
    assert (done.added, done.updated, done.removed) == (0, 1, 1)
    root = Path(first.settings.root)
    write(root, {"pkg/m7.py": changed["pkg/m7.py"]})
    (root / "pkg/m9.py").unlink()
    first.manager.refresh(FOREVER)
    assert segment_names(second.manager.single) == segment_names(first.manager.single)
    assert "pkg/m9.py" not in indexed(second.manager.single)
    second.manager.link(FOREVER)
    first.manager.link(FOREVER)
    assert [e.name for e in graph_of(second)] == [e.name for e in graph_of(first)]


def test_a_pull_reads_no_file_that_is_known_here(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("repo_mcp.indexing.keep.changes._RACY_NANOSECONDS", -(10**18))
    first, second = checkout(tmp_path / "one"), checkout(tmp_path / "two")
    build(first)
    second.manager.refresh(FOREVER)
    new = {"pkg/m7.py": "def changed():\n    return 7\n", "pkg/new.py": "x = 1\n"}
    write(Path(first.settings.root), dict(new))
    build(first)
    publish(first, url)
    write(Path(second.settings.root), dict(new))
    pull_index(second.settings, second.manager.single, url, LABEL, FOREVER)
    told: list[Progress] = []
    done = second.manager.refresh(FOREVER, CallbackListener(told.append))
    assert (done.added, done.updated, done.removed, done.complete) == (0, 0, 0, True)
    assert max(item.all_files for item in told) == len(new)
    assert segment_names(second.manager.single) == segment_names(first.manager.single)


def test_a_first_index_comes_from_the_address_in_the_settings(tmp_path: Path, url: str) -> None:
    first = checkout(tmp_path / "one")
    build(first)
    publish(first, url)
    second = checkout(tmp_path / "two", index_from=url)
    done = second.manager.refresh(FOREVER)
    assert (done.added, done.updated) == (0, 0)
    assert segment_names(second.manager.single) == segment_names(first.manager.single)


@pytest.mark.parametrize("published", [False, True])
def test_what_does_not_fit_is_said_and_the_index_is_built_here(
    tmp_path: Path, url: str, capsys: pytest.CaptureFixture[str], *, published: bool
) -> None:
    if published:
        first = checkout(tmp_path / "one")
        build(first)
        publish(first, url)
    second = checkout(tmp_path / "two", index_from=url, chunk_lines=50)
    assert second.manager.refresh(FOREVER).added == len(TREE)
    said = capsys.readouterr().err
    assert "the index is built here" in said
    assert ("chunk_lines" in said) == published


def test_files_that_are_denied_here_are_never_taken_over(tmp_path: Path, url: str) -> None:
    """The publisher has the settings of the other one, and an index that was made with others."""
    first, second = checkout(tmp_path / "one"), checkout(tmp_path / "two", deny_globs=("pkg/m1*",))
    build(first)
    publish(first, url)
    second.manager.refresh(FOREVER)
    assert not any(path.startswith("pkg/m1") for path in indexed(second.manager.single))


@pytest.mark.servers
def test_the_commands_in_words_and_as_json(tmp_path: Path, url: str) -> None:
    one, two = (write(tmp_path / name, dict(TREE)) for name in ("one", "two"))
    done = run("publish", url, "--keep", "30d", "--pin", cwd=one)
    assert done.returncode == 0, done.stderr
    assert "uploaded 3" in done.stdout
    assert "label main moved, pinned" in done.stdout
    assert "removed 0 old objects" in done.stdout
    again = json.loads(run("publish", url, "--json", cwd=one).stdout)
    assert (again["uploaded"], again["moved"]) == (0, False)
    pulled = run("pull", url, cwd=two)
    assert pulled.returncode == 0, pulled.stderr
    assert "fetched 3" in pulled.stdout
    assert "0 added, 0 updated, 0 removed" in pulled.stdout
    record = json.loads(run("pull", url, "--json", cwd=two).stdout)
    assert record["pull"]["fetched"] == 0
    assert record["index"]["status"] == "ready"
    found = run("search", "-F", "call12()", "-l", cwd=two)
    assert found.stdout.split() == ["pkg/m12.py", "pkg/m24.py", "pkg/m25.py"]


def own_segments(root: Path) -> list[Path]:
    return sorted((root / ".repo_mcp").rglob("seg-*.rix"))


@pytest.mark.servers
@pytest.mark.parametrize("line", [("search", "-F", "call12()", "-l"), ("index",)])
def test_a_command_in_a_new_checkout_copies_at_its_end(
    tmp_path: Path, url: str, line: tuple[str, ...]
) -> None:
    """Then the index needs neither its address nor the setting."""
    one, two = (write(tmp_path / name, dict(TREE)) for name in ("one", "two"))
    assert run("publish", url, cwd=one).returncode == 0
    done = run(*line, cwd=two, env={"REPO_MCP_INDEX_FROM": url})
    assert done.returncode == 0
    assert "copying" in done.stderr
    copied = [(path, path.stat().st_ino) for path in own_segments(two)]
    assert len(copied) == 3
    (tmp_path / "published").rename(tmp_path / "gone")
    found = run("search", "-F", "call12()", "-l", cwd=two)
    assert found.stdout.split() == ["pkg/m12.py", "pkg/m24.py", "pkg/m25.py"]
    assert [(path, path.stat().st_ino) for path in own_segments(two)] == copied  # none is made anew


def test_a_pull_copies_also_what_is_read_in_place_for_now(tmp_path: Path, url: str) -> None:
    first, second = checkout(tmp_path / "one"), checkout(tmp_path / "two", index_from=url)
    build(first)
    publish(first, url)
    second.manager.refresh(FOREVER)
    copies = (tmp_path / "two").rglob("seg-*.rix")
    assert list(copies) == []
    report = pull_index(second.settings, second.manager.single, url, LABEL, FOREVER)
    assert report.fetched == 3
    lists = [json.loads(file.read_bytes()) for file in (tmp_path / "two").rglob("in-place-*.json")]
    assert [item["segments"] for item in lists] == [[]] * len(lists)
    (tmp_path / "published").rename(tmp_path / "gone")
    assert segment_names(second.manager.single) == segment_names(first.manager.single)


@pytest.mark.servers
@pytest.mark.parametrize("line", [("pull",), ("pull", "nonsense"), ("publish", "https://x/y")])
def test_a_wrong_address_is_an_error(tmp_path: Path, line: tuple[str, ...]) -> None:
    root = write(tmp_path / "root", {"a.py": "x = 1\n"})
    done = run(*line, "--json", cwd=root)
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "argument_invalid"


@pytest.mark.parametrize("command", ["publish", "pull"])
def test_garbage_is_collected_while_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """The program puts collections off until all is loaded."""
    write(tmp_path, {"a.py": "a = 1\n"})
    monkeypatch.setattr(
        "sys.argv", ["repo-mcp", command, "gopher://x", "--repo-root", str(tmp_path)]
    )
    gc.disable()
    try:
        assert dispatch.run() == 2
        assert gc.isenabled()
    finally:
        gc.enable()
        gc.unfreeze()


def test_a_repository_can_name_no_address(tmp_path: Path, url: str) -> None:
    root = write(tmp_path / "root", {"a.py": "x\n", "repo_mcp.toml": f'[index]\nfrom = "{url}"\n'})
    made = services(Options(str(root), str(tmp_path / "data")))
    assert made.settings.index_from == ""
    assert any("can't set index_from" in note for note in made.settings.notes)
