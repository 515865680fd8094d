"""`audit` lists recorded calls, newest first."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from repo_mcp.audit.log import AuditEntry, AuditLog
from repo_mcp.cli.audit_command import since_when
from tests.repo_mcp.server_process import PROGRAM
from tests.repo_mcp.tree_files import write

pytestmark = pytest.mark.servers


@pytest.fixture
def where(tmp_path: Path) -> list[str]:
    root = write(tmp_path / "root", {"a.py": ""})
    return ["--repo-root", str(root), "--data-dir", str(tmp_path / "data")]


@pytest.fixture
def log(where: list[str]) -> AuditLog:
    found = AuditLog(where[-1])
    found.record(
        AuditEntry("id-1", "repo.search", {"query": "needle"}, ok=True, counts={"hits": 3})
    )
    found.record(AuditEntry("id-2", "repo.open_file", {"path": "x"}, ok=False, code="not_found"))
    found.record(AuditEntry("id-3", "repo.status", {}, ok=True, client="a\x1b[31m\nb"))
    return found


def run(*given: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, "audit", *given], capture_output=True, text=True, check=False)


@pytest.mark.usefixtures("log")
def test_calls_are_lines_and_the_newest_comes_first(where: list[str]) -> None:
    done = run(*where)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line.split()[1] for line in lines] == ["repo.status", "repo.open_file", "repo.search"]
    assert "failed (not_found)" in lines[1]
    assert '{"query": "needle"}  3 hits' in lines[2]
    assert "\x1b" not in done.stdout


@pytest.mark.usefixtures("log")
def test_as_json_and_no_more_than_asked_for(where: list[str]) -> None:
    done = run(*where, "--json", "--limit", "2")
    found = json.loads(done.stdout)
    assert [call["request_id"] for call in found["calls"]] == ["id-3", "id-2"]
    assert (found["more"], found["skipped"]) == (True, 0)


@pytest.mark.usefixtures("log")
def test_since_a_time_or_a_span(where: list[str]) -> None:
    assert "no calls are recorded since then" in run(*where, "--since", "2999-01-01").stderr
    assert len(run(*where, "--since", "1h").stdout.splitlines()) == 3
    wrong = run(*where, "--since", "whenever")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.count("\n") == 1


def test_without_a_log_it_is_said_that_there_is_none(where: list[str]) -> None:
    done = run(*where)
    assert (done.returncode, done.stdout) == (0, "")
    assert "no calls are recorded" in done.stderr
    assert not Path(where[-1]).exists()


@pytest.mark.parametrize(
    ("text", "span"),
    [("90s", 90), ("30m", 1800), ("6h", 21600), ("2d ago", 172800), ("1w", 604800)],
)
def test_spans_count_back_from_now(text: str, span: int) -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    found = datetime.strptime(since_when(text), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    assert before <= found + timedelta(seconds=span) <= datetime.now(UTC)


def test_what_is_no_span_is_left_to_the_log() -> None:
    assert since_when(" 2026-01-31T12:00:00Z ") == "2026-01-31T12:00:00Z"
