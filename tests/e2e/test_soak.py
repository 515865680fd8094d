"""A few dozen steps of the soak (`make soak`), and its verdict on figures that grow."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.errors import Problem
from repo_mcp.toolsets.catalog import TOOLSETS
from repo_mcp.toolsets.codeagent.errors import fault_of
from repo_mcp.toolsets.swiftindex.errors import message_of
from tests.repo_mcp.tree_files import write
from tests.soak.answers import absent_files, error_code, shown_though_gone
from tests.soak.clients import SoakClient
from tests.soak.figures import ProcessFigures, fit
from tests.soak.soak import soak
from tests.soak.verdict import EXPECTED_ERRORS, Line, Measurements, Rest, failures

TOOL_NAMES = {tool.name for toolset in TOOLSETS for tool in toolset.tools}
MINUTE = 60.0
HELD = ProcessFigures(rss=60 << 20, descriptors=20, segments=4, threads=7)


@pytest.mark.servers
def test_no_tool_page_or_publication_breaks_under_accidents(tmp_path: Path) -> None:
    body = "def word{0}():\n    import parser{0}\n    return open_file(word{0})\n"
    write(tmp_path / "root", {f"{n % 4}/f{n}.py": body.format(n) * 30 for n in range(40)})
    with soak(tmp_path, 1) as running:
        running.run_steps()
        running.close()
    measured = running.measured
    assert (measured.violations, measured.differences, measured.defects) == ([], [], [])
    assert set(measured.errors) <= EXPECTED_ERRORS
    assert [rest.index_bytes <= 2 * rest.fresh_bytes for rest in measured.rests] == [True, True]
    assert measured.lines[-1].calls == 2 * len(TOOL_NAMES)


@pytest.mark.servers
def test_clients_call_all_tools_of_all_toolsets(tmp_path: Path) -> None:
    client = SoakClient(tmp_path, "docs", ["a.py"], deque(), random.Random(1))
    assert set(client.tools) == TOOL_NAMES


@pytest.mark.parametrize(
    ("tool", "result", "code"),
    [
        ("repo.search", {"structuredContent": {"result": {"code": "index_busy"}}}, "index_busy"),
        ("search", {"structuredContent": {"error": {"code": "INTERNAL"}}}, "INTERNAL"),
        (
            "get_symbol",
            {"structuredContent": {"error": fault_of(Problem("internal"))._asdict()}},
            "internal",
        ),
        ("search_code", {"content": [{"text": message_of(Problem("index_busy"))}]}, "index_busy"),
        ("search_code", {"content": [{"text": "Boom"}]}, "Boom"),
        ("search_code", {"content": [{"text": "x"}], "isError": False}, ""),
    ],
)
def test_an_error_is_read_in_the_form_of_its_toolset(
    tool: str, result: dict[str, Any], code: str
) -> None:
    assert error_code(tool, {"isError": True, "content": [{}], **result}) == code


@pytest.mark.parametrize("place", ["file_path", "seen_in"])
def test_a_row_of_a_file_that_was_gone_all_the_time_is_shown_though_gone(
    tmp_path: Path, place: str
) -> None:
    names = ["a.py", "gone/b.py"]
    write(tmp_path, {"a.py": "", "gone/c.py": ""})
    gone = absent_files(tmp_path, names)
    rows: list[dict[str, Any]] = [{place: name} for name in names]
    data = {"snapshot": {"complete": True}, "results": rows}
    assert shown_though_gone(data, gone, gone) == ["gone/b.py"]
    assert shown_though_gone({**data, "snapshot": {"complete": False}}, gone, gone) == []
    marked = [{**row, "stale": True} for row in rows]
    assert shown_though_gone({**data, "results": marked}, gone, gone) == []
    came_back = {"gone/b.py": gone["gone/b.py"] + 1}
    assert shown_though_gone(data, gone, came_back) == []


def steady() -> Measurements:
    """An hour in which nothing grows, though memory goes up and down."""
    lines = [
        Line(
            at * MINUTE,
            {"server0": HELD._replace(rss=HELD.rss + (at % 3 << 20))},
            100,
            100,
            at,
            {},
            0.1,
            0.2,
        )
        for at in range(60)
    ]
    rest = Rest({"server0": HELD}, 100, 100)
    return Measurements(lines, [rest, rest])


def test_a_steady_hour_passes() -> None:
    assert failures(steady()) == []


def test_memory_that_grows_fails() -> None:
    measured = steady()
    for at, line in enumerate(measured.lines):
        grown = line.processes["server0"]
        grown = grown._replace(rss=grown.rss + at * (200 << 10))
        measured.lines[at] = replace(line, processes={"server0": grown})
    (failure,) = failures(measured)
    assert failure.startswith("server0 grows by 2.")


def test_memory_that_comes_and_goes_by_minutes_is_no_growth() -> None:
    """Neighbouring lines are no independent evidence of a slope."""
    measured = steady()
    by_minutes = [0, 0, 0, 0, 0, 0, 5, 0, 6, 14, 14, 7]  # MiB, of five minutes each
    for at, line in enumerate(measured.lines):
        kept = line.processes["server0"]
        kept = kept._replace(rss=kept.rss + (by_minutes[at // 5] << 20))
        measured.lines[at] = replace(line, processes={"server0": kept})
    assert failures(measured) == []


@pytest.mark.parametrize("what", ["descriptors", "segments", "threads"])
def test_what_is_held_at_the_end_and_was_not_before_fails(what: str) -> None:
    measured = steady()
    more = HELD._replace(**{what: 21})
    measured.rests[1] = replace(measured.rests[1], processes={"server0": more})
    (failure,) = failures(measured)
    assert failure == f"server0 had {getattr(HELD, what)} {what} at most, and has 21 at rest"


def test_too_large_an_index_a_defect_and_a_difference_fail() -> None:
    measured = steady()
    measured.rests[0] = replace(measured.rests[0], index_bytes=201)
    measured.errors = {"not_found": 5, "internal": 1}
    measured.violations.append("not JSON")
    measured.differences.append("other answers")
    assert failures(measured) == [
        "not JSON",
        "other answers",
        "1 calls failed with internal",
        "the index has 201 bytes, a fresh one 100",
    ]


def test_a_line_is_fitted_with_its_error() -> None:
    exact = fit([(x, 3.0 * x + 1.0) for x in range(10)])
    assert exact.slope == pytest.approx(3.0)
    assert exact.error == pytest.approx(0.0, abs=1e-9)
    # by hand: slope 6/10, residuals with squares 0.2 in sum, so 0.1 / 5 is its variance
    known = fit([(0, 0.0), (1, 1.0), (2, 1.0), (3, 2.0)])
    assert (known.slope, known.error) == pytest.approx((0.6, 0.02**0.5))
    assert not fit([(0, 0.0), (1, 100.0)]).exceeds(1.0)
