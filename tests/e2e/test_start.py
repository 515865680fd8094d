"""The start: what is loaded before the first call, and what a repository can't slip in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.repo_mcp.server_process import PROGRAM, running
from tests.repo_mcp.trees import write
from tests.waiting import HANG

pytestmark = pytest.mark.servers

HEAVY = {
    "asyncio",
    "base64",
    "ctypes",
    "dataclasses",
    "hashlib",
    "hmac",
    "index_format.generation",
    "index_format.layout",
    "index_format.native",
    "index_format.store",
    "inspect",
    "logging",
    "mcp",
    "msgpack",
    "numpy",
    "pathlib",
    "pathspec",
    "pydantic",
    "queue",
    "repo_mcp.audit.log",
    "repo_mcp.bundle",
    "repo_mcp.indexing",
    "repo_mcp.native",
    "repo_mcp.model",
    "repo_mcp.safety.sandbox",
    "repo_mcp.search",
    "repo_mcp.toolsets.codeagent",
    "repo_mcp.toolsets.resources",
    "repo_mcp.toolsets.swiftindex",
    "socket",
    "subprocess",
    "tomllib",
    "traceback",
    "typing",
    "urllib",
    "uuid",
    "whoosh",
    "xxhash",
}
# the session answers as it would, then says what was loaded for that; without site, because what
# is installed beside the server loads what it likes
PROBE = """
import sys
sys.path[:0] = {path!r}
from repo_mcp import dispatch
from repo_mcp.cli import arguments
from repo_mcp.app import App
from repo_mcp.protocol import stdio
from repo_mcp.protocol.core import Core
from repo_mcp.protocol.session import Session
sent = []
app = App(arguments.options(arguments.parse(["--repo-root", {root!r}])))
session = Session(Core(app), sent.append)
for method in ("initialize", "server/discover", "ping", "tools/list", "prompts/list"):
    params = '{{"protocolVersion": "2025-06-18"}}'
    line = '{{"jsonrpc":"2.0","id":1,"method":"%s","params":%s}}' % (method, params)
    assert session.receive(line.encode()) is None
    assert b'"result"' in sent.pop()
print("\\n".join(sys.modules))
"""


@pytest.mark.requirement("CARD-monorepo")
def test_nothing_heavy_is_loaded_before_the_first_call(tmp_path: Path) -> None:
    here = str(Path(__file__).parents[2])
    code = PROBE.format(path=[here], root=str(tmp_path))
    command = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert "repo_mcp.protocol.session" in loaded
    assert loaded & HEAVY == set()


# what a search of an index that is up to date has no use for
UNUSED = {
    "_hashlib",
    "asyncio",
    "dataclasses",
    "html",
    "index_format.generation.compaction",
    "index_format.generation.merging",
    "index_format.generation.writer",
    "index_format.segment.inverter",
    "index_format.segment.merge",
    "index_format.segment.writer",
    "pathlib",
    "pydantic",
    "repo_mcp.app",
    "repo_mcp.cli.doctor",
    "repo_mcp.cli.graph",
    "repo_mcp.cli.known_clients",
    "code_graph.declared",
    "code_graph.evaluate",
    "code_graph.export",
    "code_graph.languages",
    "code_graph.link",
    "code_graph.projects",
    "code_graph.query",
    "code_graph.scip",
    "code_graph.store.builder",
    "code_graph.store.records",
    "repo_mcp.indexing.build.builder",
    "repo_mcp.indexing.build.documents",
    "repo_mcp.indexing.workers",
    "repo_mcp.indexing.keep.refresh",
    "repo_mcp.indexing.watch",
    "code_graph.expressions",
    "code_graph.treesitter",
    "repo_mcp.processes",
    "repo_mcp.protocol",
    "repo_mcp.repository.listing",
    "repo_mcp.repository.reading",
    "repo_mcp.research",
    "repo_mcp.toolsets",
    "repo_mcp.vectors.embedder",
    "repo_mcp.vectors.function_encoder",
    "repo_mcp.vectors.tokens",
    "secrets",
    "shutil",
    "string",
    "subprocess",
    "tomllib",
    "tree_sitter",
    "urllib",
    "whoosh.analysis",
}
# each takes a third of a millisecond; two of them are compiled code of the server, and one has the
# settings of a root alone, so that a hook need not load what keeps indexes; the room of hooks and
# the names of their events, without which a hook could not ask a server; the table of passages, and
# the lists of words
MOST_MODULES = 210
# and where there is compiled code: the plain models use more of numpy than its core
UNUSED_BY_COMPILED_CODE = {
    *("ast", "index_format.native.names", "inspect", "numpy.lib", "numpy.linalg"),
    *("pickle", "tokenize"),
}
# the prefix as `site` sets it: outside of environments, Debian's Python has its packages elsewhere
SEARCH = """
import sys
sys.path[:0] = {path!r}
sys.prefix = sys.exec_prefix = {prefix!r}
sys.argv = ["repo-mcp", "search", "needle", *{given!r}]
from repo_mcp.dispatch import run
code = run()
print("\\n".join(sys.modules), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.requirement("CARD-monorepo")
def test_a_search_loads_what_it_uses(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "needle", ".git/HEAD": "x"})
    given = ["--repo-root", str(root), "--data-dir", str(tmp_path / "data")]
    assert run("index", *given).returncode == 0
    # a file that was just written is read again
    code = SEARCH.format(path=sys.path, prefix=sys.prefix, given=[*given, "--stale-ok"])
    command = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=HANG)
    assert (done.returncode, done.stdout) == (0, "a.py:1:needle\n"), done.stderr
    loaded = set(done.stderr.split())
    assert "repo_mcp.search.ranked.engine" in loaded
    assert loaded & UNUSED == set()
    if "index_format.native._native" in loaded:
        assert loaded & UNUSED_BY_COMPILED_CODE == set()
    ours = [name for name in loaded if name.partition(".")[0] in {"index_format", "repo_mcp"}]
    assert len(ours) <= MOST_MODULES


# what a ranked answer of a server has no use for, with a graph or without
UNUSED_BY_ANSWERS = {
    "_hashlib",
    "code_graph.contracts",
    "code_graph.evaluate",
    "code_graph.languages",
    "code_graph.projects",
    "code_graph.scip",
    *("code_graph.expressions.model", "code_graph.paths.name_places"),
    *("code_graph.store.builder", "code_graph.store.code_files", "code_graph.store.documents"),
    "pathlib",
    "re2",
    "repo_mcp.hook",
    "repo_mcp.indexing.workers.linking",
    "repo_mcp.indexing.workers.lowering",
    *("repo_mcp.repository.listing", "repo_mcp.search.exact.engine", "repo_mcp.search.regex"),
    *("repo_mcp.toolsets.codeagent", "repo_mcp.toolsets.swiftindex"),
    "repo_mcp.vectors.embedder",
    "urllib",
}
ANSWER = """
import sys
sys.path[:0] = {path!r}
sys.prefix = sys.exec_prefix = {prefix!r}
from repo_mcp.app import App
from repo_mcp.settings import Options
app = App(Options({root!r}, {data!r}, watch=False), links_ahead=False)
answer = app.call("repo.search", dict(query="needle"), lambda: False)
assert "a.py:1" in answer["content"][0]["text"], answer
print("\\n".join(sys.modules))
"""


def test_an_answer_of_a_server_loads_what_it_uses(tmp_path: Path) -> None:
    root, data = write(tmp_path / "root", {"a.py": "needle", ".git/HEAD": "x"}), tmp_path / "data"
    assert (
        run("index", "--graph", "--repo-root", str(root), "--data-dir", str(data)).returncode == 0
    )
    given = {"path": sys.path, "prefix": sys.prefix, "root": str(root), "data": str(data)}
    command = [sys.executable, "-I", "-S", "-c", ANSWER.format(**given)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=HANG)
    loaded = set(done.stdout.split())
    assert "repo_mcp.indexing.keep.graph_index" in loaded
    assert loaded & UNUSED_BY_ANSWERS == set()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print('x', end=''); main()", ("x", 0)),
        ("atexit.register(lambda: print('end')); main()", ("end\n", 0)),
        ("threading.Timer(0, print, ['late']).start(); sys.exit(main())", ("late\n", 0)),
    ],
)
def test_a_command_that_leaves_at_once_leaves_nothing_undone(
    tmp_path: Path, code: str, said: tuple[str, int]
) -> None:
    root = write(tmp_path / "root", {"a.py": "needle", ".git/HEAD": "x"})
    given = ["status", "--repo-root", str(root), "--data-dir", str(tmp_path / "data")]
    text = f"import atexit, sys, threading; from repo_mcp.server import main; {code}"
    done = subprocess.run(
        [sys.executable, "-P", "-c", text, *given],
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )
    assert done.returncode == said[1], done.stderr
    assert said[0] in done.stdout
    assert "missing" in done.stdout


def test_the_exit_code_is_that_of_the_command(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "needle", ".git/HEAD": "x"})
    given = ["--repo-root", str(root), "--data-dir", str(tmp_path / "data")]
    assert run("search", "needle", *given).returncode == 0
    assert run("search", "-F", "haystack", *given).returncode == 1
    assert run("search", "-e", "(", *given).returncode == 2


def test_nothing_is_imported_from_the_repository(tmp_path: Path) -> None:
    modules = ["json", "numpy", "whoosh", "pathspec", "index_format", "repo_mcp", "sitecustomize"]
    trap = f"open({str(tmp_path / 'sprung')!r}, 'w').write(__name__)\n"
    files: dict[str, str | bytes] = {f"{name}.py": trap for name in modules}
    files |= {f"{name}/__init__.py": trap for name in modules}
    root = write(tmp_path / "root", {**files, "a.py": "needle", "repo_mcp.toml": "[limits]\n"})
    with running(root, tmp_path / "data", cwd=root) as server:
        found = server.ask(1, "tools/call", name="repo.search", arguments={"query": "needle"})
        assert found["result"]["structuredContent"]["ok"] is True
        assert server.close() == 0
    assert not (tmp_path / "sprung").exists()


@pytest.mark.requirement("INT-03-nonwriting")
def test_nothing_is_written_but_the_data_folder(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "needle", "b/c.md": "x"})
    before = {path: path.stat().st_mtime_ns for path in [root, *root.rglob("*")]}
    with running(root, tmp_path / "data", cwd=root) as server:
        for number, name in enumerate(["repo.search", "repo.refresh_index", "repo.status"]):
            arguments = {"query": "needle"} if name == "repo.search" else {}
            found = server.ask(number, "tools/call", name=name, arguments=arguments)
            assert found["result"]["isError"] is False
        server.close()
    assert {path: path.stat().st_mtime_ns for path in [root, *root.rglob("*")]} == before


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*PROGRAM, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=False)


def test_the_commands(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"a.py": "needle", "b.bin": b"\x00"})
    where = ["--repo-root", str(root)]
    status = run("status", *where)
    assert (status.returncode, "missing" in status.stdout) == (0, True)
    assert not (root / ".repo_mcp").exists()
    first = run("index", *where)
    assert "1 file indexed" in first.stdout
    assert "1 added, 0 updated, 0 removed" in first.stdout
    assert "1 binary" in first.stdout
    assert "0 added, 1 updated, 0 removed" in run("index", *where, "--force").stdout
    assert "ready, 1 file" in run("status", *where).stdout


@pytest.mark.parametrize("mark", ["", ".git"])
def test_a_server_says_where_a_new_index_goes(tmp_path: Path, mark: str) -> None:
    root = write(tmp_path / "root", {"a.py": "needle"})
    if mark:
        (root / mark).mkdir()
    said = subprocess.run(
        [*PROGRAM, "serve", "--repo-root", str(root)],
        input="",
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    ).stderr
    assert f"the index goes to {root / '.repo_mcp'}" in said
    assert ("is no repository" in said) is not bool(mark)
    assert not (root / ".repo_mcp").exists()  # it is made by the first call
    (root / ".repo_mcp").mkdir()
    for more in ([], ["--data-dir", str(tmp_path / "data")]):
        line = [*PROGRAM, "serve", "--repo-root", str(root), *more]
        done = subprocess.run(
            line, input="", capture_output=True, text=True, timeout=HANG, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--repo-root", "/nowhere"], "not a folder"),
        (["--repo-root", "/", "--workers", "65"], "from 0 to 64"),
        (["index", "--repo-root", "/", "--chunk-lines", "0"], "from 1 to"),
        (["--repo-root", "/", "--max-open-lines", "0"], "1 or more"),
        (["--repo-root", "/", "--unknown"], "--unknown"),
        (["nothing"], "invalid choice"),
    ],
)
def test_a_wrong_command_line_says_what_is_wrong(arguments: list[str], said: str) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


@pytest.mark.parametrize("flag", ["--help", "--version"])
def test_help_and_version(flag: str) -> None:
    assert run(flag).stdout
