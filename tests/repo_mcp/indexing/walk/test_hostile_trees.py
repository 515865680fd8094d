"""Trees made to harm whoever indexes them: they cost their own files, show and run nothing."""

from __future__ import annotations

import os
import random
import select
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from code_graph.facts import FULL, decode
from repo_mcp.indexing.keep.manager import IndexManager
from tests.repo_mcp.server_process import PROGRAM, running
from tests.repo_mcp.trees import FOREVER, indexed, segment_names, served, text_of, write

pytestmark = pytest.mark.servers

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and such names")
SIZE = 40_000
RANDOM = random.Random(11)
NOISE = RANDOM.randbytes(SIZE)
PRINTED = bytes(32 + value % 95 for value in NOISE)
TOKENS = b"".join(RANDOM.choice([b"(", b"{", b"<", b"a ", b"class ", b"=", b"\n"]) for _ in NOISE)
PYTHON: dict[str, str | bytes] = {
    "brackets": "(" * SIZE,
    "minus": "x = " + "-" * SIZE + "1",
    "sum": "x = 1" + "+0" * SIZE,
    "attributes": "a" + ".b" * SIZE,
    "lambdas": "x = " + "lambda:" * SIZE + "1",
    "branches": "if x: pass\n" + "elif x: pass\n" * 3000,
    "number": "x = 0x" + "f" * SIZE,
    "strings": "x = " + "f'{" * 5000,
    "decorators": "@d\n" * 5000 + "def f(): pass\n",
    "table": "x = [" + "1," * SIZE,
    "cookie": "# coding: zlib\nx = 1\n",
    "surrogate": b"x = '\xed\xa0\x80'\n",
    "nuls": b"def f(): pass\n\0",
}
CODE: dict[str, str | bytes] = {
    "angles": "a<" * (SIZE // 2),
    "braces": "class A{" * 3000,
    "printed": PRINTED,
    "tokens": TOKENS,
    "line feeds": "\n" * SIZE,
    "one line": "let a=b;" * 5000,
}
PROSE: dict[str, str | bytes] = {
    "links": "[" * SIZE,
    "heads": "#" * SIZE,
    "quotes": "".join(">" * level + " a\n" for level in range(200)),
    "lists": "".join("  " * level + "- a\n" for level in range(150)),
    "spaces": "a" + " " * SIZE + "b",
}
BOMBS: dict[str, str | bytes] = {
    **{f"py/{name}.py": content for name, content in PYTHON.items()},
    **{f"{end}/{name}.{end}": CODE[name] for name in CODE for end in ("cs", "ts", "swift", "cpp")},
    **{f"{end}/{name}.{end}": PROSE[name] for name in PROSE for end in ("md", "rst")},
    **{f"noise/a.{end}": NOISE for end in ("py", "cs", "md", "toml", "json")},
    "rules/.gitignore": "*a*a*a*a*a*b\n[" * 2000,
    "rules/.hidden/.gitignore": NOISE,
}
FOLDERS = sorted({path.split("/")[0] for path in BOMBS})
NEIGHBOURS: dict[str, str | bytes] = {
    f"{folder}/neighbour.py": f"def neighbour_{folder}(): pass\n" for folder in FOLDERS
}


def built(root: Path, data: Path, workers: int) -> IndexManager:
    manager = served(root, data, workers=workers).manager
    done = manager.refresh(FOREVER)
    assert done.complete
    manager.tidy(FOREVER, full=True)
    return manager


@pytest.mark.requirement("INT-02-deterministic")
@pytest.mark.requirement("INT-09.1-files")
def test_bombs_cost_nothing_of_their_neighbours_and_are_alike_each_time(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {**BOMBS, **NEIGHBOURS})
    manager = built(root, tmp_path / "one", 1)
    other = built(root, tmp_path / "many", 3)
    assert segment_names(manager) == segment_names(other)
    binary = {path for path, content in BOMBS.items() if content == NOISE} | {"py/nuls.py"}
    kept = {path for path in {**BOMBS, **NEIGHBOURS} if path not in binary}
    assert set(indexed(manager)) == kept
    snapshot = text_of(manager)
    for path in NEIGHBOURS:
        facts = decode(snapshot.attachment(path, "facts"))
        assert (facts.status, len(facts.declarations)) == (FULL, 1)
    assert list(manager.stored.check()) == []


CANARY = "zqxcanary"
DENIED = [".env", ".env.local", "id_rsa", "id_rsa.py", "server.key", "secrets.py", ".ENV", ".env~"]
DENIED += [".netrc", "credentials.json", ".git/hook.py", ".ssh/config.py", "deep/er/.env", "a.pem"]
ODD_NAMES = ["\u202ertl.py", "é.py", "e\u0301.py", "名前.py", " lead.py", "quote'\".py", "star*.py"]
ODD_NAMES += ["[br].py", "%41.py", "-dash.py", "x" * 252 + ".py", "{}.py", "😀.py", "$(touch x).py"]
# no client could ask for these
UNSPEAKABLE = ["new\nline.py", "tab\t.py", "\x1b[31mred.py"]


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    outside = write(tmp_path / "outside", {"a.py": f"def {CANARY}_outside(): pass\n"})
    named = {name: f"def odd{number}(): pass\n" for number, name in enumerate(ODD_NAMES)}
    denied = dict.fromkeys(DENIED, f"def {CANARY}_denied(): pass\n{CANARY} = 1\n")
    root = write(tmp_path / "root", {**named, **denied, **dict.fromkeys(UNSPEAKABLE, "x = 1\n")})
    (root / "link.py").symlink_to(outside / "a.py")
    (root / "linked").symlink_to(outside)
    (root / "alias.py").symlink_to(".env")
    (root / "loop.py").symlink_to("loop.py")
    (root / "zero.py").symlink_to("/dev/zero")
    os.link(outside / "a.py", root / "hard.py")
    os.mkfifo(root / "pipe.py")
    with socket.socket(socket.AF_UNIX) as listening, working_in(root):
        listening.bind("socket.py")
    return root


class working_in:  # noqa: N801 used like contextlib.chdir
    """The path of a socket has to be short."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._before = str(Path.cwd())

    def __enter__(self) -> None:
        os.chdir(self._folder)

    def __exit__(self, *_: object) -> None:
        os.chdir(self._before)


@POSIX
@pytest.mark.requirement("INT-07.1-root")
@pytest.mark.requirement("INT-07.2-denylist")
def test_what_is_denied_or_outside_is_in_no_byte_of_the_index(odd: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    manager = built(odd, data, 2)
    assert sorted(indexed(manager)) == sorted(ODD_NAMES)
    stored = [path.read_bytes() for path in data.rglob("*") if path.is_file()]
    assert stored
    assert not [content for content in stored if CANARY.encode() in content]
    snapshot = text_of(manager)
    words = [word for field in range(5) for word in snapshot.terms(field)]
    assert b"odd0" in words
    assert not [word for word in words if CANARY.encode() in word]
    for path in indexed(manager):
        names = [item.name for item in decode(snapshot.attachment(path, "facts")).declarations]
        assert len(names) == 1
        assert CANARY not in names[0]


@POSIX
@pytest.mark.requirement("INT-07.2-denylist")
def test_no_answer_and_no_warning_names_what_is_denied(odd: Path, tmp_path: Path) -> None:
    with running(odd, tmp_path / "data") as server:
        calls = [
            ("repo.search", {"query": CANARY}),
            ("repo.refresh_index", {}),
            ("repo.search", {"query": f"{CANARY}_outside {CANARY}_denied"}),
            ("repo.status", {}),
        ]
        for number, (name, arguments) in enumerate(calls):
            answer = server.ask(number, "tools/call", name=name, arguments=arguments)
            content = answer["result"]["structuredContent"]
            assert content["ok"] is True
            assert content["result"].get("hits", []) == []
            said = " ".join(content["warnings"])
            assert not [path for path in [*DENIED, "outside"] if path in said]
        assert server.close() == 0


CODE_THAT_TELLS = "import os\nopen({mark!r}, 'a').write(__name__ + '\\n')\n"
SHADOWS = ["json", "numpy/__init__", "xxhash/__init__", "msgpack", "struct", "sitecustomize"]
SHADOWS += ["usercustomize", "repo_mcp/__init__", "index_format/__init__", "ast"]


@pytest.fixture
def shadowing(tmp_path: Path) -> Path:
    code = CODE_THAT_TELLS.format(mark=str(tmp_path / "ran"))
    files: dict[str, str | bytes] = {f"{name}.py": code for name in SHADOWS}
    files["evil.pth"] = f"import os; open({str(tmp_path / 'ran')!r}, 'a')\n"
    files |= {f"more/f{number}.py": f"def f{number}(): pass\n" * 99 for number in range(80)}
    return write(tmp_path / "root", files)


def state_of(root: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


@pytest.mark.requirement("INT-03-nonwriting")
def test_nothing_of_the_repository_is_run_or_written(shadowing: Path, tmp_path: Path) -> None:
    before = state_of(shadowing)
    with running(shadowing, tmp_path / "data", cwd=shadowing) as server:
        answer = server.ask(1, "tools/call", name="repo.refresh_index", arguments={})
        assert answer["result"]["structuredContent"]["result"]["added"] == len(before)
        server.send(b'{"jsonrpc":"2.0","id":2,"method":"ping"}')
        assert server.receive()["id"] == 2
        assert server.close() == 0
    assert not (tmp_path / "ran").exists()
    assert state_of(shadowing) == before


def children_of(process: subprocess.Popen[bytes]) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{process.pid}/task").iterdir():
            found += [int(child) for child in (task / "children").read_text().split()]
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")
def test_workers_do_not_outlive_a_killed_program(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {f"{n}.py": f"def f{n}(): pass\n" * 3000 for n in range(60)})
    command = [*PROGRAM, "index", "--workers", "2", "--repo-root", str(root)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        workers: list[int] = []
        while not workers and process.poll() is None:
            workers = children_of(process)
        handles = [os.pidfd_open(worker) for worker in workers]
        process.kill()
    assert handles
    for handle in handles:
        ended = select.poll()
        ended.register(handle, select.POLLIN)
        assert ended.poll(30_000)
        os.close(handle)
