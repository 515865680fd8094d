"""The audit log on disk: whole records from many processes, and no failure stops a call."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from index_format import FileStore
from repo_mcp.audit.log import NAME, AuditEntry, AuditLog, parse_time
from repo_mcp.errors import Problem
from repo_mcp.safety.denylist import Denylist

ROOT = Path(__file__).parents[3]
WRITER = """
import sys
from repo_mcp.audit.log import AuditLog, AuditEntry
log = AuditLog(sys.argv[1], max_bytes=int(sys.argv[3]))
for number in range(int(sys.argv[4])):
    entry = AuditEntry(f"{sys.argv[2]}-{number}", "repo.search", {"query": "x" * 150}, ok=True)
    assert log.record(entry) == ""
"""


def entry(number: int, **more: Any) -> AuditEntry:  # noqa: ANN401 any field
    return AuditEntry(
        f"request-{number}", "repo.search", {"query": f"word {number}"}, ok=True, **more
    )


def ids(log: AuditLog, **arguments: Any) -> list[str]:  # noqa: ANN401 any argument
    return [item.request_id for item in log.recent(**arguments).entries]


@pytest.mark.requirement("INT-12-observability")
def test_a_call_is_one_line_of_json_with_all_fields(tmp_path: Path) -> None:
    log = AuditLog(str(tmp_path / "data"))
    shown = ["a.py:1-20", "b.py:3-3"]
    kept = entry(1, counts={"hits": 2}, shown=shown, seconds=0.25, client="codex 1.0", generation=7)
    assert log.record(kept) == ""
    (line,) = (tmp_path / "data" / NAME).read_text().splitlines()
    record = json.loads(line)
    parse_time(record.pop("time"))
    assert record == {
        "request_id": "request-1",
        "tool": "repo.search",
        "client": "codex 1.0",
        "arguments": {"query": "word 1"},
        "ok": True,
        "blocked": False,
        "code": "",
        "counts": {"hits": 2},
        "shown": shown,
        "shown_in_all": 2,
        "milliseconds": 250.0,
        "generation": 7,
        "process": os.getpid(),
    }
    (found,) = log.recent().entries
    assert found._replace(time="") == kept._replace(shown=tuple(shown), shown_in_all=2)


def test_entries_come_newest_first_and_in_pages(tmp_path: Path) -> None:
    log = AuditLog(str(tmp_path))
    for number in range(9):
        log.record(entry(number))
    assert ids(log, limit=3) == ["request-8", "request-7", "request-6"]
    assert log.recent(limit=3).more is True
    assert ids(log, limit=3, after="request-6") == ["request-5", "request-4", "request-3"]
    assert ids(log, limit=9, after="request-2") == ["request-1", "request-0"]
    assert log.recent(limit=9).more is False
    assert ids(log, after="nothing") == []


def test_since_leaves_out_older_entries(tmp_path: Path) -> None:
    log = AuditLog(str(tmp_path))
    for hour in range(4):
        log.record(entry(hour, time=f"2026-01-31T0{hour}:00:00.000Z"))
    assert ids(log, since="2026-01-31T02:00:00Z") == ["request-3", "request-2"]
    assert ids(log, since="2026-01-31T04:00:00+02:00") == ["request-3", "request-2"]
    assert ids(log, since="2026-01-31T02:00:00") == ["request-3", "request-2"]
    assert ids(log, since="2026-01-31") == [f"request-{hour}" for hour in (3, 2, 1, 0)]
    assert ids(log, since="2027-01-01T00:00:00Z") == []
    for text in ("yesterday", " ", "25:00"):
        with pytest.raises(Problem, match="2026-01-31T09:30:00Z"):
            log.recent(since=text)


def test_without_a_log_there_are_no_entries(tmp_path: Path) -> None:
    assert AuditLog(str(tmp_path / "none")).recent() == ([], False, 0)
    assert not (tmp_path / "none").exists()


def test_lines_that_are_no_records_are_skipped_and_counted(tmp_path: Path) -> None:
    log = AuditLog(str(tmp_path))
    log.record(entry(1))
    good = json.loads((tmp_path / NAME).read_text())
    bad: list[bytes] = [
        b"not json",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b'{"time": 1}',
        b"[" * 100_000,
        *(
            json.dumps({**good, **wrong}).encode()
            for wrong in (
                {"time": "never"},
                {"tool": "a\nb"},
                {"arguments": "x"},
                {"counts": 3},
                {"shown": 3},
                {"milliseconds": "soon"},
                {"milliseconds": "nan"},
                {"milliseconds": float("nan")},
                {"milliseconds": float("inf")},
                {"code": "two words"},
                {"request_id": "\u2028"},
            )
        ),
    ]
    with (tmp_path / NAME).open("ab") as file:
        file.write(b"\n\n".join(bad) + b"\n")
    log.record(entry(2))
    found = log.recent()
    assert [item.request_id for item in found.entries] == ["request-2", "request-1"]
    assert found.skipped == len(bad)


def test_a_foreign_log_is_shown_only_as_valid_redacted_entries(tmp_path: Path) -> None:
    log = AuditLog(str(tmp_path))
    log.record(entry(1))
    record = json.loads((tmp_path / NAME).read_text())
    record |= {
        "arguments": {"path": "keys/id_rsa", "query": "y" * 9_000, "deep": [[[["x"]]]]},
        "client": "z" * 9_000,
        "shown": ["p" * 9_000] * 900,
    }
    (tmp_path / NAME).write_text(json.dumps(record) + "\n")
    (found,) = log.recent().entries
    assert len(json.dumps(found)) < 20_000
    assert found.arguments["path"] == "[withheld: names a denied file]"


def test_a_time_is_passed_on_in_one_format(tmp_path: Path) -> None:
    """A foreign log may have any character between date and time, and any blanks around."""
    log = AuditLog(str(tmp_path))
    log.record(entry(1))
    record = json.loads((tmp_path / NAME).read_text())
    record["time"] = "\u2028 2026-01-31\x1b10:30:00+01:00\x1c"
    (tmp_path / NAME).write_text(json.dumps(record) + "\n")
    assert [found.time for found in log.recent().entries] == ["2026-01-31T09:30:00.000Z"]


@pytest.mark.requirement("INT-07.2-denylist")
def test_a_path_denied_since_is_withheld_in_old_entries(tmp_path: Path) -> None:
    AuditLog(str(tmp_path)).record(entry(1, shown=["src/a.py:1-2", "plans/b.md:3-4,7-9"]))
    log = AuditLog(str(tmp_path), Denylist(["plans/**"]))
    assert log.recent().entries[0].shown == ("src/a.py:1-2", "[withheld: names a denied file]")


def test_the_first_shown_paths_are_kept_and_all_are_counted(tmp_path: Path) -> None:
    log = AuditLog(str(tmp_path))
    log.record(entry(1, shown=[f"{number}.py:1-2" for number in range(120)]))
    (found,) = log.recent().entries
    assert (len(found.shown), found.shown_in_all) == (50, 120)


def test_an_unfinished_line_does_not_damage_the_next(tmp_path: Path) -> None:
    log = AuditLog(str(tmp_path))
    log.record(entry(1))
    with (tmp_path / NAME).open("ab") as file:
        file.write(b'{"time": "20')
    log.record(entry(2))
    assert ids(log) == ["request-2", "request-1"]
    assert log.recent().skipped == 1


def test_a_full_log_is_rotated_and_some_old_ones_are_kept(tmp_path: Path) -> None:
    log = AuditLog(str(tmp_path), max_bytes=2_000)
    for number in range(100):
        assert log.record(entry(number)) == ""
    files = sorted(path.name for path in tmp_path.glob("audit*"))
    assert files == ["audit.1.jsonl", "audit.2.jsonl", "audit.3.jsonl", NAME]
    assert sum(path.stat().st_size for path in tmp_path.glob("audit*")) < 4 * 2_400
    found = ids(log, limit=100)
    assert found == [f"request-{number}" for number in range(99, 99 - len(found), -1)]
    assert len(found) > 20


def test_the_log_is_written_while_another_process_rotates_it(tmp_path: Path) -> None:
    from index_format import FileStore  # noqa: PLC0415 the lock that both would take

    log = AuditLog(str(tmp_path), max_bytes=500)
    with FileStore(str(tmp_path)).lock(0):
        for number in range(9):
            assert log.record(entry(number)) == ""
    assert [path.name for path in tmp_path.glob("audit*")] == [NAME]
    assert len(ids(log, limit=99)) == 9


@pytest.mark.servers
@pytest.mark.parametrize("max_bytes", [1 << 20, 40_000])
@pytest.mark.requirement("INT-12-observability")
def test_many_processes_write_whole_lines(tmp_path: Path, max_bytes: int) -> None:
    command = [sys.executable, "-P", "-c", WRITER, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    writers = [
        subprocess.Popen(
            [*command, name, str(max_bytes), "60"], env=environment, stderr=subprocess.PIPE
        )
        for name in "abcd"
    ]
    for writer in writers:
        _, said = writer.communicate()
        assert (writer.returncode, said) == (0, b"")
    found = AuditLog(str(tmp_path)).recent(limit=1_000)
    assert found.skipped == 0
    written = [item.request_id for item in found.entries]
    assert len(set(written)) == len(written) == 240
    for name in "abcd":
        own = [item for item in written if item.startswith(name)]
        assert len(own) == 60


def test_threads_of_one_process_write_whole_lines(tmp_path: Path) -> None:
    log = AuditLog(str(tmp_path), max_bytes=10_000)
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(log.record, map(entry, range(100)))) == {""}
    found = log.recent(limit=1_000)
    assert (len(found.entries), found.skipped) == (100, 0)


def test_a_log_renamed_by_another_process_meanwhile_gives_no_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = AuditLog(str(tmp_path), max_bytes=10)
    lock = FileStore.lock

    @contextmanager
    def lock_after_another_process(store: FileStore, seconds: float) -> Iterator[None]:
        (tmp_path / NAME).rename(tmp_path / "audit.1.jsonl")
        with lock(store, seconds):
            yield

    monkeypatch.setattr(FileStore, "lock", lock_after_another_process)
    assert log.record(entry(1)) == ""
    assert ids(log) == ["request-1"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="everything is allowed to root")
def test_a_folder_that_can_not_be_written_gives_one_warning(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o500)
    log = AuditLog(str(tmp_path / "data"))
    assert "can't be written" in log.record(entry(1))
    assert log.record(entry(2)) == ""


def test_a_folder_in_place_of_the_log_gives_one_warning(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    log = AuditLog(str(tmp_path))
    assert "calls can't be written to the audit log" in log.record(entry(1))
    assert log.record(entry(2)) == ""
    assert log.recent() == ([], False, 0)


@pytest.mark.skipif(os.name == "nt", reason="links are for administrators there")
def test_links_are_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").write_text("kept\n")
    root = tmp_path / "root"
    root.mkdir()
    (root / "data").symlink_to(elsewhere)
    assert "is a link" in AuditLog(str(root / "data"), root=str(root)).record(entry(1))
    assert [path.name for path in elsewhere.iterdir()] == ["file"]
    data = root / "own"
    data.mkdir()
    (data / NAME).symlink_to(elsewhere / "file")
    log = AuditLog(str(data), root=str(root))
    assert log.record(entry(1)) != ""
    assert log.recent() == ([], False, 0)
    assert (elsewhere / "file").read_text() == "kept\n"


def test_a_removed_folder_is_created_again(tmp_path: Path) -> None:
    data = tmp_path / "data"
    log = AuditLog(str(data))
    log.record(entry(1))
    for path in data.iterdir():
        path.unlink()
    data.rmdir()
    assert log.record(entry(2)) == ""
    assert ids(log) == ["request-2"]
    assert (data / ".gitignore").exists()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=50)
@given(st.dictionaries(st.text(), JSON, max_size=5))
def test_any_arguments_make_one_line_that_can_be_parsed(
    tmp_path_factory: pytest.TempPathFactory, arguments: dict[str, Any]
) -> None:
    folder = tmp_path_factory.mktemp("data")
    log = AuditLog(str(folder), Denylist())
    assert log.record(AuditEntry("one", "repo.search", arguments, ok=True)) == ""
    assert (folder / NAME).read_bytes().count(b"\n") == 1
    assert ids(log) == ["one"]
