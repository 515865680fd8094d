"""An archive of sources through the sandbox: its files and no others, whatever its names say."""

from __future__ import annotations

import gc
import io
import os
import zipfile
from pathlib import Path

import pytest

from repo_mcp.errors import Problem
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox, open_root
from repo_mcp.safety.sandbox.door import RootState

LIMIT = 1000


def sandbox_of(path: Path) -> Sandbox:
    return Sandbox(str(path), Denylist(), max_file_bytes=LIMIT, door=open_root(str(path)))


def code_of(sandbox: Sandbox, path: str) -> str:
    with pytest.raises(Problem) as caught:
        sandbox.read(path)
    return caught.value.code


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    path = tmp_path / "a-sources.jar"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("com/acme/A.java", "class A {}\n")
        opened.writestr("com/acme/.env", "SECRET=1\n")
        opened.writestr("big.txt", "x" * (LIMIT + 1))
        opened.writestr("../outside.txt", "x")
        opened.writestr("/etc/passwd", "x")
        opened.writestr("a/./b.txt", "x")
        opened.writestr("com/acme/A.java/inner.txt", "x")
        opened.writestr("com/acme", "x")
        opened.writestr("empty/", "")
    return path


def test_files_are_read_and_listed_by_their_names(jar: Path) -> None:
    sandbox = sandbox_of(jar)
    assert sandbox.read("com/acme/A.java").data == b"class A {}\n"
    assert [item.name for item in sandbox.list_folder("").entries] == ["big.txt", "com"]
    assert [item.name for item in sandbox.list_folder("com/acme").entries] == [".env", "A.java"]
    plain = sandbox.read_plain(["com/acme/A.java", "com/acme/.env", "big.txt", "nothing"])
    assert [item and item.data for item in plain] == [b"class A {}\n", None, None, None]


def test_what_is_no_file_of_it_is_refused(jar: Path) -> None:
    sandbox = sandbox_of(jar)
    assert code_of(sandbox, "com/acme/.env") == "path_denied"
    assert code_of(sandbox, "big.txt") == "file_too_large"
    assert code_of(sandbox, "../outside.txt") == "path_outside"
    assert code_of(sandbox, "/etc/passwd") == "path_outside"
    assert code_of(sandbox, "etc/passwd") == "not_found"
    assert code_of(sandbox, "com/acme") == "not_a_file"
    assert code_of(sandbox, "com/acme/A.java/inner.txt") == "not_found"
    with pytest.raises(Problem):
        sandbox.list_folder("nothing")


def test_equal_entries_have_equal_keys_in_every_copy(jar: Path) -> None:
    copy = jar.with_name("copy.jar")
    copy.write_bytes(jar.read_bytes())
    os.utime(copy, ns=(1, 1))
    keys = {sandbox_of(path).file_key("com/acme/A.java") for path in (jar, copy)}
    assert len(keys) == 1


def test_an_entry_with_damaged_or_lying_data(tmp_path: Path) -> None:
    path = tmp_path / "a.jar"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("bomb.txt", b"\0" * 500_000)
        opened.writestr("a.txt", "some words that are compressed, some words\n" * 9)
    data = bytearray(path.read_bytes())
    at = data.find(b"a.txt") + len(b"a.txt")
    data[at : at + 8] = b"\xff" * 8
    # the directory at the end says a small size of what is large
    size = (500_000).to_bytes(4, "little")
    place = data.rfind(size)
    data[place : place + 4] = (10).to_bytes(4, "little")
    path.write_bytes(data)
    sandbox = sandbox_of(path)
    assert code_of(sandbox, "a.txt") == "unreadable"
    found = sandbox.read_plain(["bomb.txt"])[0]
    assert found is None or len(found.data) <= LIMIT + 1


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"no archive at all"])
def test_a_file_that_is_no_archive(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.jar"
    path.write_bytes(data)
    with pytest.raises(Problem) as caught:
        open_root(str(path))
    assert caught.value.code == "root_missing"


def test_an_archive_that_is_replaced_stays_what_it_was(jar: Path) -> None:
    sandbox = sandbox_of(jar)
    assert sandbox.root_state() is RootState.SAME
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as opened:
        opened.writestr("com/acme/A.java", "class Other {}\n")
    new = jar.with_name("new.jar")
    new.write_bytes(other.getvalue())
    new.replace(jar)
    assert sandbox.root_state() is RootState.REPLACED
    assert sandbox.read("com/acme/A.java").data == b"class A {}\n"
    jar.unlink()
    assert sandbox.root_state() is RootState.MISSING


def test_the_last_reference_closes_it(jar: Path) -> None:
    sandbox = sandbox_of(jar)
    sandbox.close()
    sandbox.close()
    del sandbox
    gc.collect()


def test_a_folder_of_an_archive_is_a_root_of_its_own(jar: Path) -> None:
    root = jar / "com/acme"
    sandbox = Sandbox(str(root), Denylist(), max_file_bytes=LIMIT, door=open_root(str(root)))
    assert sandbox.read("A.java").data == b"class A {}\n"
    assert [item.name for item in sandbox.list_folder("").entries] == [".env", "A.java"]
    for path in ("big.txt", "../../big.txt", "com/acme/A.java", str(jar / "big.txt")):
        assert code_of(sandbox, path) in {"not_found", "path_outside"}
    assert sandbox.read(str(root / "A.java")).path == "A.java"
    for missing in ("nothing", "big.txt/inner", "com/../big.txt", "/etc"):
        with pytest.raises(Problem):
            open_root(f"{jar}/{missing}")
