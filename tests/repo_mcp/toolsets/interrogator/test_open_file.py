"""`repo.open_file`: numbered lines in parts, images, audio, and refusals without details."""

from __future__ import annotations

import base64
import json
import struct
import tracemalloc
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from repo_mcp.repository import media_of
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import write

LONG = "\n".join(f"line {number} of a long file" for number in range(1, 1001))
PNG = b"\x89PNG\r\n\x1a\n" + b"".join(
    struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    for name, data in (
        (b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"\0\0")),
        (b"IEND", b""),
    )
)
WAV = b"RIFF" + struct.pack("<I", 36) + b"WAVEfmt " + bytes(28)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files: dict[str, str | bytes] = {
        "a.py": "def needle():\n    return 1\n",
        "long.txt": LONG,
        "empty.txt": "",
        ".env": "TOKEN=hidden",
        "binary.bin": b"\x00\x01",
        "wide.js": "needle " + "é" * 100_000,
        "logo.png": PNG,
        "beep.wav": WAV,
        "odd name [1].md": "# Title\n",
    }
    return write(tmp_path / "root", files)


@pytest.fixture
def call(root: Path, tmp_path: Path) -> Caller:
    return Caller(root, tmp_path / "data")


@pytest.mark.requirement("INT-11.3-open-file")
def test_lines_are_numbered_and_what_was_left_out_is_said(call: Caller) -> None:
    found = call.result("repo.open_file", path="a.py", start_line=1, end_line=99)
    assert found["text"] == "1: def needle():\n2:     return 1"
    assert (found["truncated"], found["next_start_line"], found["total_lines"]) == (False, 0, 2)
    part = call.result("repo.open_file", path="long.txt", start_line=2, end_line=3)
    assert part["text"] == "2: line 2 of a long file\n3: line 3 of a long file"
    assert (part["truncated"], part["start_line"], part["end_line"]) == (False, 2, 3)


@pytest.mark.parametrize("arguments", [{}, {"max_chars": 2_000}])
def test_a_long_file_comes_in_parts_that_make_up_the_whole(
    call: Caller, arguments: dict[str, int]
) -> None:
    rows: list[str] = []
    start = 1
    while start:
        found = call.result("repo.open_file", path="long.txt", start_line=start, **arguments)
        assert found["truncated"] is (found["next_start_line"] > 0)
        rows += found["text"].split("\n")
        start = found["next_start_line"]
    assert rows == [f"{number}: {row}" for number, row in enumerate(LONG.split("\n"), 1)]


def test_a_line_too_long_for_an_answer_is_cut_and_said(call: Caller) -> None:
    found = call("repo.open_file", path="wide.js")
    assert found["result"]["truncated"] is True
    assert found["result"]["text"].endswith(" …")
    assert "too long" in found["warnings"][0]


@pytest.mark.requirement("INT-07.3-limits")
def test_the_limits_on_lines_and_bytes_hold(root: Path, tmp_path: Path) -> None:
    limits = {"max_open_lines": 3, "max_file_bytes": 5_000}
    call = Caller(write(root, {"short.txt": "x\n" * 9}), tmp_path / "data", limits=limits)
    found = call.result("repo.open_file", path="short.txt")
    assert (found["end_line"], found["truncated"], found["next_start_line"]) == (3, True, 4)
    refused = call("repo.open_file", path="long.txt")
    assert (refused["blocked"], refused["result"]["code"]) == (True, "file_too_large")
    assert call.result("repo.search", query="line")["hits"] == []


@pytest.mark.requirement("INT-07.3-limits")
def test_the_limit_on_an_answer_holds(root: Path, tmp_path: Path) -> None:
    limits = {"max_total_bytes_per_response": 4_000}
    call = Caller(root, tmp_path / "data", limits=limits)
    found = call.answer("repo.open_file", path="long.txt", max_chars=9_000)
    assert len(json.dumps(found["structuredContent"])) <= 4_000
    assert "max_chars is limited to 4000" in found["structuredContent"]["warnings"][0]


def test_an_empty_file_has_no_lines(call: Caller) -> None:
    found = call.result("repo.open_file", path="empty.txt")
    assert (found["text"], found["total_lines"], found["truncated"]) == ("", 0, False)


@pytest.mark.parametrize(
    ("path", "first", "last"),
    [("long.txt:7", 7, 1000), ("long.txt:7-9", 7, 9), ("long.txt:7:3: text", 7, 1000)],
)
def test_a_place_as_answers_cite_it_is_opened(
    call: Caller, path: str, first: int, last: int
) -> None:
    found = call.result("repo.open_file", path=path)
    assert (found["path"], found["start_line"]) == ("long.txt", first)
    assert found["end_line"] <= last
    assert call.result("repo.open_file", path=path, start_line=3, end_line=4)["start_line"] == 3


def test_an_address_is_opened(call: Caller) -> None:
    found = call.answer("repo.open_file", path="repo:///odd%20name%20%5B1%5D.md")
    assert found["structuredContent"]["result"]["path"] == "odd name [1].md"
    # lines are in the text: a link to them is of no use to a model
    (block,) = found["content"]
    assert block["annotations"] == {"audience": ["assistant"], "priority": 1.0}


@pytest.mark.requirement("SWI-content")
@pytest.mark.parametrize(
    ("path", "kind", "mime", "data"),
    [("logo.png", "image", "image/png", PNG), ("beep.wav", "audio", "audio/wav", WAV)],
)
def test_pictures_and_sounds_are_shown_as_such(
    call: Caller, path: str, kind: str, mime: str, data: bytes
) -> None:
    found = call.answer("repo.open_file", path=path)
    text, block, link = found["content"]
    assert path in text["text"]
    assert (block["type"], block["mimeType"]) == (kind, mime)
    assert base64.b64decode(block["data"]) == data
    assert block["annotations"]["audience"] == ["user", "assistant"]
    assert (link["type"], link["uri"]) == ("resource_link", f"repo:///{path}")
    assert link["mimeType"] == mime
    assert link["annotations"] == {"audience": ["user"], "priority": 0.2}
    result = found["structuredContent"]["result"]
    assert (result["kind"], result["size"], result["text"]) == (kind, len(data), "")


def test_a_picture_that_is_too_large_is_named_and_not_shown(root: Path, tmp_path: Path) -> None:
    write(root, {"large.png": PNG + bytes(1 << 20)})
    call = Caller(root, tmp_path / "data", limits={"max_file_bytes": 4 << 20})
    found = call.answer("repo.open_file", path="large.png")
    assert [block["type"] for block in found["content"]] == ["text", "resource_link"]
    assert found["structuredContent"]["result"]["truncated"] is True
    assert "not returned" in found["structuredContent"]["warnings"][0]


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBP", "image/webp"),
        (b"OggS\0", "audio/ogg"),
        (b"fLaC", "audio/flac"),
        (b"ID3", "audio/mpeg"),
        (b"RIFF\0\0\0\0AVI ", None),
        (b"\x7fELF", None),
        (b"", None),
    ],
)
def test_the_bytes_say_what_a_file_is(data: bytes, mime: str | None) -> None:
    found = media_of("x.png", data)
    assert (found and found.mime_type) == mime


@pytest.mark.parametrize(
    ("arguments", "code", "blocked"),
    [
        ({"path": ".env"}, "path_denied", True),
        ({"path": "sub/.env"}, "path_denied", True),
        ({"path": ".env:3"}, "path_denied", True),
        ({"path": "repo:///.env"}, "path_denied", True),
        ({"path": "repo:///..%2Fa.py"}, "path_outside", True),
        ({"path": "../root/a.py"}, "path_outside", True),
        ({"path": "/etc/passwd"}, "path_outside", True),
        ({"path": "none.py"}, "not_found", False),
        ({"path": "binary.bin"}, "binary_file", False),
        ({"path": "."}, "not_a_file", False),
        ({"path": "a.py", "start_line": 9}, "argument_invalid", False),
        ({"path": "a.py", "start_line": 2, "end_line": 1}, "argument_invalid", False),
        ({}, "argument_invalid", False),
    ],
)
def test_what_can_not_be_opened(
    call: Caller, arguments: dict[str, object], code: str, *, blocked: bool
) -> None:
    found = call("repo.open_file", **arguments)
    assert (found["ok"], found["blocked"], found["result"]["code"]) == (False, blocked, code)


@pytest.mark.requirement("INT-07.2-blocked-shape")
def test_a_blocked_read_says_why_and_what_to_do(call: Caller) -> None:
    found = call("repo.open_file", path=".env")
    assert found["blocked"] is True
    assert "secrets" in found["result"]["reason"]
    assert ".env.example" in found["result"]["hint"]
    assert "hidden" not in json.dumps(found)


@pytest.mark.parametrize(
    ("there", "not_there"),
    [(".env", "other/.env"), ("/etc/passwd", "/etc/no-such"), ("../root", "../no-such")],
)
def test_a_refusal_does_not_tell_whether_there_is_something(
    call: Caller, there: str, not_there: str
) -> None:
    call.result("repo.refresh_index")
    found, absent = (call("repo.open_file", path=path) for path in (there, not_there))
    assert {**found, "request_id": ""} == {**absent, "request_id": ""}


def test_a_path_that_is_nearly_right_is_corrected(call: Caller) -> None:
    call.result("repo.refresh_index")
    assert "did you mean long.txt" in call.refusal("repo.open_file", path="docs/lnog.txt")["reason"]


@settings(
    max_examples=25,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    name=st.text(
        st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=12
    ).filter(lambda name: name not in {".", ".."} and len(name.encode()) < 200),
    content=st.binary(max_size=400) | st.text(max_size=200).map(str.encode),
)
def test_any_name_and_content_gives_an_answer_that_keeps_the_promises(
    tmp_path_factory: pytest.TempPathFactory, name: str, content: bytes
) -> None:
    folder = tmp_path_factory.mktemp("tree")
    root = write(folder / "root", {"a.txt": "x"})
    (root / name).write_bytes(content)
    call = Caller(root, folder / "data")
    call("repo.open_file", path=name)
    call("repo.outline", path=name)
    call("repo.list_files", include_hidden=True)
    call("repo.search", query="x", mode="literal")


@pytest.mark.parametrize(
    ("count", "arguments", "last"),
    [
        (400, {}, 400),
        (1_000, {"start_line": 601}, 1_000),
        (1_500, {"start_line": 101, "end_line": 1_000}, 1_000),
        (3_000, {"end_line": 3_000}, 2_000),
    ],
)
def test_files_of_400_lines_and_ranges_are_whole(
    tmp_path: Path, count: int, arguments: dict[str, int], last: int
) -> None:
    text = "some words of a line that is longer\n" if count <= 1_000 else "some words\n"
    call = Caller(write(tmp_path / "root", {"a.txt": text * count}), tmp_path / "data")
    found = call.result("repo.open_file", path="a.txt", **arguments)
    is_whole = last in {count, arguments.get("end_line")}
    assert (found["end_line"], found["truncated"]) == (last, not is_whole)


def test_a_longer_file_comes_in_pages(tmp_path: Path) -> None:
    text = "some words of a line that is longer\n" * 401
    call = Caller(write(tmp_path / "root", {"a.txt": text}), tmp_path / "data")
    answer = call.answer("repo.open_file", path="a.txt")
    assert len(answer["content"][0]["text"]) < 10_000
    assert answer["structuredContent"]["result"]["next_start_line"] < 300


def test_a_range_of_more_lines_than_a_page_had_is_whole(tmp_path: Path) -> None:
    call = Caller(write(tmp_path / "root", {"a.txt": "word\n" * 3_000}), tmp_path / "data")
    found = call.result("repo.open_file", path="a.txt", ranges=["1-900", "1001-1900"])
    assert [part.splitlines()[0] for part in found["ranges"]] == [
        "a.txt:1-900 of 3000",
        "a.txt:1001-1900 of 3000",
    ]


def test_lines_that_are_not_shown_are_not_made(tmp_path: Path) -> None:
    root = write(tmp_path / "root", {"many.txt": "ab\n" * 1_500_000})
    call = Caller(root, tmp_path / "data", limits={"max_file_bytes": 10_000_000})
    call.result("repo.open_file", path="many.txt")
    tracemalloc.start()
    try:
        found = call.result("repo.open_file", path="many.txt", start_line=1_499_999)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (found["text"], found["total_lines"]) == ("1499999: ab\n1500000: ab", 1_500_000)
    # the bytes and the text take 9 MB, a string for each line another 90
    assert peak < 30_000_000


def test_several_places_are_opened_in_one_call(call: Caller) -> None:
    ranges = ["2-3", "7", "999-", "a.py:1-1", "long.txt:500-501", "a.py"]
    found = call.result("repo.open_file", path="long.txt", ranges=ranges)
    assert found["ranges"] == [
        "long.txt:2-3 of 1000\n2: line 2 of a long file\n3: line 3 of a long file",
        "long.txt:7-7 of 1000\n7: line 7 of a long file",
        "long.txt:999-1000 of 1000\n999: line 999 of a long file\n1000: line 1000 of a long file",
        "a.py:1-1 of 2\n1: def needle():",
        "long.txt:500-501 of 1000\n500: line 500 of a long file\n501: line 501 of a long file",
        "a.py:1-2 of 2\n1: def needle():\n2:     return 1",
    ]
    assert (found["path"], found["text"], found["truncated"]) == ("long.txt", "", False)
    text = call.answer("repo.open_file", path="a.py", ranges=["1-1", "2-2"])["content"][0]["text"]
    assert text.splitlines()[:4] == [
        "a.py:1-1 of 2", "1: def needle():", "a.py:2-2 of 2", "2:     return 1",
    ]  # fmt: skip


@pytest.mark.parametrize("written", ["a.py:1-2", "1-2 of a.py", "1 - 2 in a.py", "a.py 1-2"])
def test_lines_of_another_file_are_named_in_several_ways(call: Caller, written: str) -> None:
    found = call.result("repo.open_file", path="long.txt", ranges=[written])
    assert [part.splitlines()[0] for part in found["ranges"]] == ["a.py:1-2 of 2"]


def test_the_lines_of_the_call_come_before_its_ranges(call: Caller) -> None:
    found = call.result("repo.open_file", path="a.py", start_line=2, ranges=["1"])
    assert [part.splitlines()[0] for part in found["ranges"]] == ["a.py:2-2 of 2", "a.py:1-1 of 2"]


def test_a_wrong_range_is_told_and_spoils_no_other(call: Caller) -> None:
    wrong = ["9-12", "5-2", "0-3", "none.py:1-2", ".env:1-2", "binary.bin", "../x:1", "1-1"]
    found = call.result("repo.open_file", path="a.py", ranges=wrong)
    reasons = [part.partition(": ")[2] for part in found["ranges"]]
    assert "the file has 2 lines" in reasons[0]
    assert "line 2 is before line 5" in reasons[1]
    assert "lines are counted from 1" in reasons[2]
    assert reasons[3].startswith("there is no such file")
    assert all(reasons)
    assert "hidden" not in str(found)
    assert found["ranges"][-1] == "a.py:1-1 of 2\n1: def needle():"


def test_ranges_that_fit_are_whole_and_the_others_are_named_for_the_next_call(
    call: Caller,
) -> None:
    asked: list[str] = ["1-60", "100-300", "wide.js", "a.py:2-2", "301-302"]
    answer = call.answer("repo.open_file", path="long.txt", ranges=asked, max_chars=6_000)
    assert len(json.dumps(answer["structuredContent"], ensure_ascii=False).encode()) < 6_000
    found = answer["structuredContent"]["result"]
    heads = [part.splitlines()[0] for part in found["ranges"]]
    assert heads == ["long.txt:1-60 of 1000", "a.py:2-2 of 2", "long.txt:301-302 of 1000"]
    assert found["next_ranges"] == ["100-300", "wide.js:1-1"]
    assert found["truncated"]
    text = answer["content"][0]["text"]
    assert 'truncated; continue with ranges=["100-300", "wide.js:1-1"]' in text


def test_the_next_ranges_lead_to_all_lines_that_were_asked_for(call: Caller) -> None:
    asked = ["1-400", "a.py", "700-1000"]
    lines: list[str] = []
    while asked:
        arguments = {"path": "long.txt", "ranges": asked, "max_chars": 5_000}
        found = call.result("repo.open_file", **arguments)
        lines += [row for part in found["ranges"] for row in part.splitlines()[1:]]
        asked = found.get("next_ranges", [])
    numbers = [*range(1, 401), *range(700, 1001)]
    wanted = [f"{number}: line {number} of a long file" for number in numbers]
    assert sorted(lines) == sorted([*wanted, "1: def needle():", "2:     return 1"])


def test_a_range_that_is_larger_than_the_page_is_cut_at_its_end(call: Caller) -> None:
    found = call.result("repo.open_file", path="long.txt", ranges=["1-900"], max_chars=4_000)
    (part,) = found["ranges"]
    head, *rows = part.splitlines()
    assert head == f"long.txt:1-{len(rows)} of 1000, cut at {len(rows)} of 900"
    assert found["next_ranges"] == [f"{len(rows) + 1}-900"]


def test_no_more_than_twenty_places_are_opened(call: Caller) -> None:
    found = call.result("repo.open_file", path="a.py", ranges=[*["1"] * 20, "2", "long.txt"])
    assert (len(found["ranges"]), found["truncated"]) == (20, True)
    assert found["next_ranges"] == ["2-2", "long.txt"]
