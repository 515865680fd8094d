"""`read_file`: unchanged text, ranges of lines, size limits, refusals."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from repo_mcp.text.files import decode
from repo_mcp.toolsets.codeagent.declarations import MOST_BYTES, MOST_LINES
from repo_mcp.toolsets.codeagent.read import _beginning
from tests.repo_mcp.toolsets.codeagent.calls import Caller
from tests.repo_mcp.trees import write

TEXT = "one\r\ntwo\n\nfour\u2028still four\nlast"
LONG = "".join(f"line {number}\n" for number in range(1, MOST_LINES + 6))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files: dict[str, str | bytes] = {
        ".env": "TOKEN=hidden",
        ".gitignore": "ignored.txt\n",
        "ignored.txt": "seen\n",
        "src/a.txt": TEXT,
        "long.txt": LONG,
        "empty.txt": "",
        "latin.txt": "\xe9t\xe9\n".encode("latin-1"),
        "wide.txt": "é" * 300_000 + "\nsecond\n",
        "logo.png": b"\x89PNG\r\n\x1a\n\0",
    }
    return write(tmp_path / "root", files)


@pytest.fixture
def call(root: Path, tmp_path: Path) -> Caller:
    return Caller(root, tmp_path / "data")


@pytest.mark.requirement("CAE-read_file")
@pytest.mark.parametrize(
    ("span", "content"),
    [
        ({}, TEXT),
        ({"line_start": 1, "line_end": 5}, TEXT),
        ({"line_start": 2}, "two\n\nfour\u2028still four\nlast"),
        ({"line_end": 1}, "one\r\n"),
        ({"line_start": 3, "line_end": 3}, "\n"),
        ({"line_start": 5, "line_end": 99}, "last"),
        ({"line_start": "4", "line_end": "4"}, "four\u2028still four\n"),
        ({"line_start": None, "line_end": None}, TEXT),
    ],
)
def test_lines_are_given_as_they_stand(call: Caller, span: dict[str, object], content: str) -> None:
    assert call("read_file", path="src/a.txt", **span) == {
        "content": content,
        "total_lines": 5,
        "truncated": False,
    }


@pytest.mark.requirement("CAE-read_file")
def test_ten_thousand_lines_come_at_once(call: Caller) -> None:
    found = call("read_file", path="long.txt")
    assert found["content"] == "".join(LONG.splitlines(keepends=True)[:MOST_LINES])
    assert (found["total_lines"], found["truncated"]) == (MOST_LINES + 5, True)
    assert found["warnings"] == ["cut after line 10000: continue with line_start=10001"]
    rest = call("read_file", path="long.txt", line_start=10_001)
    assert found["content"] + rest["content"] == LONG
    assert rest["truncated"] is False
    part = call("read_file", path="long.txt", line_start=5, line_end=MOST_LINES + 4)
    assert (part["content"].count("\n"), part["truncated"]) == (MOST_LINES, False)


@pytest.mark.requirement("CAE-read_file")
def test_half_a_million_bytes_come_at_once(call: Caller, root: Path) -> None:
    row = "é" * 499 + "\n"  # 999 bytes
    write(root, {"large.txt": row * 600})
    found = call("read_file", path="large.txt")
    assert found["content"] == row * (MOST_BYTES // 999)
    assert (found["total_lines"], found["truncated"]) == (600, True)
    assert call("read_file", path="large.txt", line_start=501)["truncated"] is False


@pytest.mark.requirement("CAE-read_file")
def test_the_limit_itself_is_within_it(call: Caller, root: Path) -> None:
    write(root, {"exact.txt": "x" * MOST_BYTES, "more.txt": "x" * MOST_BYTES + "y"})
    assert call("read_file", path="exact.txt")["truncated"] is False
    more = call("read_file", path="more.txt")
    assert (more["content"], more["truncated"]) == ("x" * MOST_BYTES, True)


def test_a_line_that_is_too_long_itself_is_cut_between_characters(call: Caller) -> None:
    found = call("read_file", path="wide.txt")
    assert found["content"] == "é" * (MOST_BYTES // 2)
    assert found["warnings"] == [
        "line 1 is longer than 500000 bytes: the rest is not shown",
        "cut after line 1: continue with line_start=2",
    ]
    assert call("read_file", path="wide.txt", line_start=2)["content"] == "second\n"


def test_an_empty_file_has_no_lines(call: Caller) -> None:
    empty = {"content": "", "total_lines": 0, "truncated": False}
    assert call("read_file", path="empty.txt") == empty
    assert call("read_file", path="empty.txt", line_start=1, line_end=1) == empty


def test_what_is_not_utf_8_is_read_and_said(call: Caller) -> None:
    found = call("read_file", path="latin.txt")
    assert (found["content"], found["warnings"]) == (
        "été\n",
        ["the file is latin-1, not utf-8"],
    )


def test_an_ignored_file_can_be_read(call: Caller) -> None:
    assert call("read_file", path="ignored.txt")["content"] == "seen\n"


@pytest.mark.requirement("CAE-read_file", "CAE-errors")
@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("logo.png", b"\x89PNG\r\n\x1a\n\0", "image/png"),
        ("photo.txt", b"\xff\xd8\xff\xe0\0", "image/jpeg"),
        ("a.bin", b"\x7fELF\x02\x01\x01\0", "application/x-elf"),
        ("a.zip", b"PK\x03\x04\0\0", "application/zip"),
        ("a.docx", b"PK\x03\x04\0\0", "wordprocessingml.document"),
        ("a.JAR", b"PK\x03\x04\0\0", "application/java-archive"),
        ("a.gz", b"\x1f\x8b\x08\0", "application/gzip"),
        ("a.tar", b"name" + bytes(253) + b"ustar\0", "application/x-tar"),
        ("a.webp", b"RIFF\0\0\0\0WEBP", "image/webp"),
        ("a.wav", b"RIFF\0\0\0\0WAVE", "audio/wav"),
        ("a.mp4", b"\0\0\0\x18ftypisom", "video/mp4"),
        ("a.sqlite", b"SQLite format 3\0", "application/vnd.sqlite3"),
        ("a.pyc", b"\xa7\x0d\r\n\0", "application/x-python-code"),
        ("A.MP3", b"\xff\xfb\0", "audio/mpeg"),
        ("noname", b"\0\1\2", "application/octet-stream"),
        (".png", b"\0\1\2", "image/png"),
        ("dot.d/noname", b"\0", "application/octet-stream"),
    ],
)
def test_a_binary_file_is_refused_with_its_type(
    call: Caller, root: Path, name: str, data: bytes, kind: str
) -> None:
    write(root, {name: data})
    error = call.error("read_file", path=name)
    assert error["code"] == "binary_file"
    assert f"{kind}. " in error["message"]


def test_a_document_without_text_is_refused_with_the_reason(call: Caller, root: Path) -> None:
    write(root, {"a.pdf": b"%PDF-1.7\n\0"})
    error = call.error("read_file", path="a.pdf")
    assert error["code"] == "binary_file"
    assert "the text of this document can't be read" in error["message"]


@pytest.mark.requirement("CAE-errors")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"path": "none.txt"}, "not_found"),
        ({"path": "src/A.txt"}, "not_found"),
        ({"path": "../root/src/a.txt"}, "path_escape"),
        ({"path": "src/../../root/src/a.txt"}, "path_escape"),
        ({"path": "/etc/passwd"}, "path_escape"),
        ({"path": "src"}, "invalid_parameter"),
        ({"path": ""}, "invalid_parameter"),
        ({}, "invalid_parameter"),
        ({"path": {"name": "x"}}, "invalid_parameter"),
        ({"path": "src/a.txt", "line_start": 0}, "invalid_parameter"),
        ({"path": "src/a.txt", "line_start": 6}, "invalid_parameter"),
        ({"path": "src/a.txt", "line_start": 3, "line_end": 2}, "invalid_parameter"),
        ({"path": "src/a.txt", "line_end": 0}, "invalid_parameter"),
        ({"path": "src/a.txt", "line_start": "two"}, "invalid_parameter"),
        ({"path": ".env"}, "not_found"),
        ({"path": "src/../.env"}, "not_found"),
        ({"path": ".git/config"}, "not_found"),
    ],
)
def test_what_can_not_be_read(call: Caller, arguments: dict[str, object], code: str) -> None:
    assert call.code("read_file", **arguments) == code


@pytest.mark.requirement("CAE-read_file")
def test_steps_up_are_fine_as_long_as_they_stay_inside(call: Caller, root: Path) -> None:
    for path in ("src/../src/a.txt", "src/./a.txt", "none/../src//a.txt", f"{root}/src/a.txt"):
        assert call("read_file", path=path)["content"] == TEXT


@pytest.mark.requirement("CAE-errors")
def test_a_file_over_the_limit_of_the_server_is_too_large(root: Path, tmp_path: Path) -> None:
    call = Caller(root, tmp_path / "data", limits={"max_file_bytes": 50_000})
    assert call.code("read_file", path="long.txt") == "too_large"
    assert "long.txt" in call.names()


@pytest.mark.requirement("CAE-read_file", "CAE-errors")
@pytest.mark.skipif(os.name == "nt", reason="links and pipes")
def test_links_and_special_files(call: Caller, root: Path, tmp_path: Path) -> None:
    write(tmp_path, {"outside/there.txt": "secret"})
    (root / "in").symlink_to("src/a.txt")
    (root / "folder").symlink_to("src")
    (root / "out").symlink_to("../outside/there.txt")
    (root / "none").symlink_to("../outside/none.txt")
    (root / "env").symlink_to(".env")
    (root / "loop").symlink_to("loop")
    os.mkfifo(root / "pipe")
    os.link(tmp_path / "outside" / "there.txt", root / "second")
    assert call("read_file", path="in")["content"] == TEXT
    assert call("read_file", path="folder/a.txt")["content"] == TEXT
    codes = {name: call.code("read_file", path=name) for name in ("out", "none", "env", "loop")}
    assert codes == {
        "out": "path_escape",
        "none": "path_escape",
        "env": "not_found",
        "loop": "invalid_parameter",
    }
    assert call.code("read_file", path="pipe") == "invalid_parameter"
    assert call.code("read_file", path="second") == "path_escape"
    assert call.error("read_file", path="out") == call.error("read_file", path="none")


@given(rows=st.lists(st.text("aé\n", max_size=5).map(lambda row: row.replace("\n", "") + "\n")))
def test_a_beginning_is_as_long_as_it_may_be(rows: list[str]) -> None:
    part = _beginning(rows)
    assert part.text == "".join(rows)
    assert part.lines == len(rows)


@settings(
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    data=st.binary(max_size=300) | st.text(max_size=200).map(str.encode), start=st.integers(1, 6)
)
def test_any_content_is_read_whole_or_refused_as_binary(
    call: Caller, root: Path, data: bytes, start: int
) -> None:
    (root / "any").write_bytes(data)
    text = decode(data)
    if text is None:
        assert call.code("read_file", path="any") == "binary_file"
        return
    whole = call("read_file", path="any")
    assert whole["content"] == text.content
    if start < whole["total_lines"]:
        parts = [
            call("read_file", path="any", line_end=start)["content"],
            call("read_file", path="any", line_start=start + 1)["content"],
        ]
        assert "".join(parts) == text.content
