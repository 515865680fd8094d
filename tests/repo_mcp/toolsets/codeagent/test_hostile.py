"""Hostile trees: nothing from outside the repository is returned."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.repo_mcp.toolsets.codeagent.calls import Caller
from tests.repo_mcp.trees import write

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and such names")
CANARY = "zqxcanary"
DENIED = [".env", ".env.local", "id_rsa", "server.key", ".ENV", ".env~", ".netrc", "a.pem"]
DENIED += ["credentials.json", ".git/hook.py", ".ssh/config.py", "deep/er/.env"]
ASKED = [
    *DENIED,
    *(f"src/../{path}" for path in DENIED),
    *("../outside/there.py", "out/there.py", "out", "src/up/there.py", "chain", "absolute"),
    *("/etc/passwd", "//etc/passwd", "/proc/self/environ", "~/.ssh/id_rsa", "file:///etc/passwd"),
    *("src/..%2f..%2foutside/there.py", "..\\outside\\there.py", "src/\0/../a.py", "C:\\x"),
    *("second.py", "pipe", "socket", "loop/loop/loop", ".", "..", "...", "", "/", "//"),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, {"outside/there.py": f"def {CANARY}(): pass\n", "file": CANARY})
    found = write(
        tmp_path / "root",
        {**dict.fromkeys(DENIED, CANARY), "src/a.py": "a = 1\n", "repo_mcp.toml": ""},
    )
    outside = tmp_path / "outside"
    links = {
        "out": "../outside",
        "out.py": "../outside/there.py",
        "chain": "out.py",
        "absolute": str(outside / "there.py"),
        "src/up": "../../outside",
        "src/env": "../.env",
        "loop": "loop",
        "root": ".",
    }
    for name, target in links.items():
        (found / name).symlink_to(target)
    os.mkfifo(found / "pipe")
    os.link(outside / "there.py", found / "second.py")
    return found


@POSIX
@pytest.mark.requirement("CAE-list_directory", "CAE-read_file", "CAE-index_files")
def test_nothing_from_outside_or_denied_is_in_any_answer(root: Path, tmp_path: Path) -> None:
    call = Caller(root, tmp_path / "data")
    said: list[dict[str, Any]] = []
    for path in ASKED:
        said.append(call.answer("read_file", path=path))
        said.append(call.answer("list_directory", path=path))
        said.append(call.answer("get_directory_tree", path=path, depth=10))
    said += [call.answer("index_files", paths=ASKED), call.answer("get_status")]
    text = json.dumps(said)
    assert CANARY not in text
    assert '"name": "there.py"' not in text
    assert str(tmp_path / "outside") not in text


@POSIX
def test_what_is_denied_has_no_name_in_any_listing(root: Path, tmp_path: Path) -> None:
    call = Caller(root, tmp_path / "data")
    text = json.dumps(call.answer("get_directory_tree", depth=10))
    for path in DENIED:
        assert json.dumps(path.rpartition("/")[2]) not in text
    assert json.dumps(".git") not in text
    assert call.names("deep/er") == []


@POSIX
def test_a_folder_that_becomes_a_link_is_not_followed(root: Path, tmp_path: Path) -> None:
    call = Caller(root, tmp_path / "data")
    assert call.names("src") == ["a.py"]
    (root / "src").rename(root / "was")
    (root / "src").symlink_to("../outside")
    assert call.code("list_directory", path="src") == "invalid_parameter"
    assert call.code("read_file", path="src/there.py") == "path_escape"


@POSIX
def test_a_tree_of_any_depth_is_listed_level_by_level(root: Path, tmp_path: Path) -> None:
    call = Caller(root, tmp_path / "data")
    folder = root
    for _ in range(300):
        folder /= "d"
        folder.mkdir()
    (folder / "end.txt").write_text("end")
    deep = "d/" * 300
    assert call.names(deep) == ["end.txt"]
    assert call("read_file", path=f"{deep}end.txt")["content"] == "end"
    assert call("get_directory_tree", path=deep, depth=10)["children"] == [
        {"name": "end.txt", "type": "file"}
    ]


NAMES = st.text(
    st.characters(exclude_characters="/\0\\\ufeff", exclude_categories=["Cs", "Cc"]),
    min_size=1,
    max_size=9,
).filter(lambda name: name not in {".", ".."} and not name.startswith("."))


@POSIX
@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(names=st.sets(NAMES, min_size=1, max_size=8), folder=NAMES)
def test_every_name_that_is_shown_can_be_asked_for(
    tmp_path_factory: pytest.TempPathFactory, names: set[str], folder: str
) -> None:
    tmp_path = tmp_path_factory.mktemp("tree")
    root = write(tmp_path / "root", {"plain.txt": "x"})
    write(root, {f"top/{folder}/{name}": name for name in names})
    call = Caller(root, tmp_path / "data")
    if call.names("top"):
        shown = call.names(f"top/{folder}")
        assert set(shown) <= names
        for name in shown:
            assert call("read_file", path=f"top/{folder}/{name}")["content"] == name
    tree = call("get_directory_tree", depth=10)
    assert json.dumps(tree, ensure_ascii=False).count('"file"') <= len(names) + 1
