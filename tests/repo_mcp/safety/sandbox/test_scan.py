"""Scanning many files gives what reading each gives, and nothing of files that are refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from repo_mcp.native import NATIVE, LineScan, NeedleLines, lines
from repo_mcp.safety.sandbox import openat2
from tests.repo_mcp.fences import SECRET, sandbox, write

CAN_SCAN = NATIVE is not None and openat2.is_available()
needs_scan = pytest.mark.skipif(not CAN_SCAN, reason="nothing compiled, or no openat2")
FILES: dict[str, str | bytes] = {
    "outside/file.txt": SECRET,
    "root/a.py": "one\ntwo one\n",
    "root/deep/er/b.py": "none\nTwo",
    "root/empty": "",
    "root/binary": b"one\0",
    "root/latin": "gr\u00f6\u00dfe one\n".encode("latin-1"),
    "root/large": "one\n" * 600,
    "root/.env": SECRET,
    "root/keys/id_rsa": SECRET,
    "root/linked.py": "one\n",
}
PATHS = [path.removeprefix("root/") for path in FILES if path.startswith("root/")]
ODD = ["copy.py", "link.py", "folder/a.py", "pipe", "deep", "nowhere", "", "a.py\0", "deep/../a.py"]
SCANS = [LineScan(), LineScan(b"one"), LineScan(b"two", fold=True), LineScan(b"one", word=True)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = write(tmp_path, FILES) / "root"
    os.link(root / "linked.py", root / "copy.py")
    (root / "link.py").symlink_to("../outside/file.txt")
    (root / "folder").symlink_to("deep")
    os.mkfifo(root / "pipe")
    return root


@needs_scan
@pytest.mark.parametrize("what", SCANS)
def test_each_file_is_as_it_would_be_read(root: Path, what: LineScan) -> None:
    fence = sandbox(root, most=2000)
    seen = 0
    for path, found in zip(PATHS, fence.scan(PATHS, what), strict=True):
        if found is None:
            assert path in {".env", "keys/id_rsa", "large", "linked.py"}
            continue
        seen += 1
        data = fence.read(path).data
        expected = lines.scan_lines(data, what) if what.needle else None
        assert found == (data if expected is None else expected)
        assert isinstance(found, NeedleLines) == (expected is not None)
    assert seen == 5


@needs_scan
def test_files_read_together_are_as_each_is_read(root: Path) -> None:
    names = ["tab\t.py", "new\nline", "back\\slash"]  # what no client can ask for
    for name in names:
        (root / name).write_text(SECRET)
    fence = sandbox(root, most=2000)
    found = dict(zip([*PATHS, *names], fence.read_plain([*PATHS, *names]), strict=True))
    judged = {".env", "keys/id_rsa", "large", "linked.py", *names}
    assert {path for path, content in found.items() if content is None} == judged
    assert all(content == fence.read(path) for path, content in found.items() if content)


@pytest.mark.parametrize("use_openat2", [True, False])
def test_what_has_to_be_judged_is_left_to_reading(root: Path, *, use_openat2: bool) -> None:
    if use_openat2 and not openat2.is_available():
        pytest.skip("no openat2")
    fence = sandbox(root, openat2=use_openat2)
    for what in SCANS:
        assert fence.scan(ODD, what) == [None] * len(ODD)
    assert fence.read_plain(ODD) == [None] * len(ODD)


@needs_scan
def test_a_root_that_was_moved_is_followed(root: Path) -> None:
    fence = sandbox(root)
    root.rename(root.with_name("moved"))
    assert fence.scan(["a.py"], LineScan()) == [b"one\ntwo one\n"]
