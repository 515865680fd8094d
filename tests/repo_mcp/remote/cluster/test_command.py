"""The commands `index --engine` and `search --engine`, and a server that has an engine."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

import pytest

from repo_mcp.app import App
from repo_mcp.cli.state.engine import own_store
from repo_mcp.settings import Options
from tests.repo_mcp.cli.test_cli import run
from tests.repo_mcp.trees import write
from tests.waiting import HANG

pytestmark = pytest.mark.servers

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
pytest.importorskip("obstore", reason="the extra `cluster` is not installed")

FILES: dict[str, str | bytes] = {
    f"pkg/m{number}.py": f"def call{number}():\n    return {number}\n" for number in range(90)
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", FILES)


def test_an_index_that_an_engine_has_built_is_asked_like_any_other(
    root: Path, tmp_path: Path
) -> None:
    data = str(tmp_path / "data")
    done = run("index", "--data-dir", data, "--engine", "local:1", "--json", cwd=root)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["refresh"]["added"] == 90
    assert record["engine"]["tasks"] == 1
    assert record["engine"]["cpu_seconds"] > 0
    assert record["engine"]["made_here"] == 0
    assert not (tmp_path / "data" / "engine").exists()
    found = run("search", "--data-dir", data, "call77", cwd=root)
    assert "pkg/m77.py" in found.stdout


def test_words_come_first_and_the_rest_with_the_graph_in_the_next_run(
    root: Path, tmp_path: Path
) -> None:
    # words of fewer files are counted without workers
    write(root, {f"more/n{number}.py": f"n = {number}\n" for number in range(200)})
    where = ["--data-dir", str(tmp_path / "data"), "--engine", "local:1", "--json"]
    done = run("index", *where, "--words-only", cwd=root)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["engine"]["tasks"] == 1
    found = run("search", "--data-dir", str(tmp_path / "data"), "call77", cwd=root)
    assert "pkg/m77.py" in found.stdout
    done = run("index", *where, "--graph", cwd=root)
    assert done.returncode == 0, done.stderr
    status = run("status", "--data-dir", str(tmp_path / "data"), cwd=root)
    assert "graph" in status.stdout


# as the installed command starts, without `-P`
CODE = """
import sys
sys.path[:] = filter(None, sys.path)
from repo_mcp.server import main
sys.exit(main())
"""
COMMAND = [sys.executable, "-c", CODE]


def test_workers_here_import_nothing_from_the_repository(root: Path, tmp_path: Path) -> None:
    mark = tmp_path / "imported"
    names = ("multiprocessing/__init__", "multiprocessing/spawn", "signal", "json", "logging", "re")
    write(root, {f"{name}.py": f"open({str(mark)!r}, 'w')\nraise OSError\n" for name in names})
    done = subprocess.run(
        [*COMMAND, "index", "--data-dir", str(tmp_path / "data"), "--engine", "local:1"],
        cwd=root,
        env={name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"},
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not mark.exists()


@pytest.mark.parametrize("command", [["index"], ["search", "call77"]])
def test_workers_here_import_nothing_from_a_data_folder_that_came_with_the_repository(
    root: Path, tmp_path: Path, command: list[str]
) -> None:
    mark = tmp_path / "imported"
    folders = [f"{name}/dask-scratch-space" for name in ("engine", "engine-search", "engine-0")]
    names = ("decimal", "xxhash", "psutil", "cryptography", "msgpack", "dask", "tarfile", "lz4")
    shipped = {f".repo_mcp/{folder}/{name}.py" for folder in folders for name in names}
    write(root, dict.fromkeys(shipped, f"open({str(mark)!r}, 'w')\nraise OSError\n"))
    write(root, {".repo_mcp/index/CURRENT": ""})
    done = subprocess.run(
        [*COMMAND, *command, "--engine", "local:1"],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not mark.exists()


def test_an_index_that_an_engine_builds_first_is_private_from_the_start(
    root: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    done = run("index", "--data-dir", str(data), "--engine", "local:1", cwd=root)
    assert done.returncode == 0, done.stderr
    assert data.stat().st_mode & 0o777 == 0o700
    assert (data / ".gitignore").exists()


def test_a_store_that_came_with_the_repository_is_another_one(tmp_path: Path) -> None:
    def killed(data: Path) -> str:
        with suppress(InterruptedError), own_store(str(data)) as address:
            (data / "engine" / Path(address).name).mkdir(exist_ok=True)
            raise InterruptedError
        return address

    address = killed(tmp_path / "data")
    assert killed(tmp_path / "data") == address
    shutil.copytree(tmp_path / "data", tmp_path / "copy")
    assert Path(killed(tmp_path / "copy")).name != Path(address).name
    with own_store(str(tmp_path / "data")) as address:
        pass
    assert not (tmp_path / "data" / "engine").exists()


def test_a_link_in_the_place_of_the_store_is_not_followed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "data" / "index").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "data" / "engine").symlink_to(tmp_path / "elsewhere")
    done = run("index", "--data-dir", "../data", "--engine", "local:1", cwd=root)
    assert "is a link" in done.stderr
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="process groups are those of POSIX")
def test_cancelling_at_a_terminal_shows_nothing_of_the_workers(root: Path, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "index", "--data-dir", str(tmp_path / "data"), "--engine", "local:1"],
        cwd=root,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    with process, process.stderr:
        before = list(takewhile(lambda line: "looking for changes" not in line, process.stderr))
        assert before == ["connecting\n"]
        os.killpg(process.pid, signal.SIGINT)
        rest = process.stderr.read()
        process.wait(HANG)
    assert "Traceback" not in rest


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--engine", "dask://127.0.0.1:9"], "--store"),
        (["--engine", "local:1", "--words-only", "--graph"], "declarations"),
        (["--engine", "ssh://host:1", "--store", "file:///tmp/x"], "an engine is"),
    ],
)
def test_an_engine_that_can_not_be_meant_is_refused(
    root: Path, tmp_path: Path, options: list[str], reason: str
) -> None:
    done = run("index", "--data-dir", str(tmp_path / "data"), *options, cwd=root)
    assert done.returncode == 2
    assert reason in done.stderr


@pytest.mark.parametrize("options", [["call77"], ["--mode", "regex", r"def call7\d"]])
def test_a_search_by_workers_prints_what_one_machine_prints(
    root: Path, tmp_path: Path, options: list[str]
) -> None:
    data = str(tmp_path / "data")
    alone = run("search", "--data-dir", data, "--json", *options, cwd=root)
    found = run("search", "--data-dir", data, "--json", "--engine", "local:1", *options, cwd=root)
    assert found.returncode == 0, found.stderr
    assert found.stdout == alone.stdout
    assert "missing_segments" not in found.stdout


def test_a_search_of_a_published_index_keeps_no_copy(root: Path, tmp_path: Path) -> None:
    one, two, url = tmp_path / "one", tmp_path / "two", (tmp_path / "published").as_uri()
    alone = run("search", "--data-dir", str(one), "--json", "call77", cwd=root)
    assert run("publish", url, "--no-graph", "--data-dir", str(one), cwd=root).returncode == 0
    where = ["--data-dir", str(two), "--index-cache", str(tmp_path / "cache")]
    options = [*where, "--engine", "local:1", "--segments", url, "--json"]
    found = run("search", *options, "call77", cwd=root)
    assert found.returncode == 0, found.stderr
    assert hits(found.stdout) == hits(alone.stdout)
    assert list(two.rglob("seg-*.rix")) == []
    assert list((tmp_path / "cache").rglob("*"))


def hits(printed: str) -> list[str]:
    """The lines of hits: the last line tells of the index."""
    return printed.splitlines()[:-1]


def test_a_search_with_an_engine_that_can_not_be_meant_is_refused(
    root: Path, tmp_path: Path
) -> None:
    data = str(tmp_path / "data")
    done = run("search", "--data-dir", data, "--engine", "ssh://host:1", "call", cwd=root)
    assert done.returncode == 2
    assert "an engine is" in done.stderr


def test_a_server_with_an_engine_answers_as_one_without(root: Path, tmp_path: Path) -> None:
    assert run("index", "--data-dir", str(tmp_path / "data"), cwd=root).returncode == 0
    options = Options(str(root), str(tmp_path / "data"), watch=False, workers=1)
    asked = [("repo.search", {"query": "call77"}), ("repo.search", {"query": "x", "mode": "regex"})]
    alone = App(options)
    expected = [answer(alone, *item) for item in asked]
    close(alone)
    app = App(options._replace(engine="local:1"))
    try:
        assert [answer(app, *item) for item in asked] == expected
        search = app.services.running().distributed
        assert search is not None
        preparing = search._preparing
        if preparing is not None:
            preparing.join(HANG)
        assert [answer(app, *item) for item in asked] == expected
        assert search.readers is not None
        assert search.readers._durations
    finally:
        close(app)


def answer(app: App, name: str, arguments: dict[str, str]) -> object:
    found = app.call(name, arguments, lambda: False)
    return found["structuredContent"]["result"]


def close(app: App) -> None:
    app.services.close()
