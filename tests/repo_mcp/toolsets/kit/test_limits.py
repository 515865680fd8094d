"""For any repository an answer keeps its size and schema, and text and data agree."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import write

pytestmark = pytest.mark.differential

WIDE = "\u6f22"
LINES = st.sampled_from(
    [
        f"needle {WIDE * 400}",
        WIDE * 2_000,
        "needle\t\x01\x1b[0m\u2028\r end",
        '"needle" \\ ' * 50,
        f"def needle_{WIDE * 60}({WIDE * 300}): ...",
        f"# {WIDE * 300}",
        "class Needle:",
        "    needle = 1",
        "",
    ]
)
TEXTS = st.lists(LINES, max_size=60).map("\n".join)
NAMES = st.sampled_from(["a.py", "b.txt", f"{WIDE * 60}.py", "c d/e\u202ef.md", "g'\"`.js"])


@pytest.mark.requirement("INT-07.3-limits", "INT-11-envelope")
@settings(
    max_examples=20,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    files=st.dictionaries(NAMES, TEXTS, min_size=1, max_size=4),
    page=st.sampled_from([{}, {"max_chars": 4_000}]),
)
def test_an_answer_of_any_tool_keeps_its_size_and_its_form(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, str], page: dict[str, int]
) -> None:
    folder = tmp_path_factory.mktemp("tree")
    root = write(folder / "root", {**files, "plain.txt": "needle\n"})
    call = Caller(root, folder / "data")
    call.result("repo.refresh_index")
    most = page.get("max_chars", 10_000)
    asked: list[tuple[str, dict[str, Any]]] = [
        ("repo.search", {"query": "needle"}),
        ("repo.search", {"query": "needle", "mode": "literal", "context_lines": 20}),
        ("repo.search", {"query": "n.*", "mode": "regex", "ignore_case": True}),
        ("repo.list_files", {}),
        ("repo.build_context_bundle", {"prompt": f"needle {WIDE}", "include_tests": True}),
        *(("repo.open_file", {"path": path}) for path in files),
        *(("repo.outline", {"path": path}) for path in files),
    ]
    for name, arguments in asked:
        answer = call.answer(name, **arguments, **page)
        # as `answer` checks: bundles and whole files are larger
        has_page = "bundle" not in name and (bool(page) or "open" not in name)
        assert len(answer["content"][0]["text"]) <= most or not has_page
        assert answer["structuredContent"]["ok"]
        if name == "repo.search":
            result = answer["structuredContent"]["result"]
            assert result.get("hits") or result["files"]
    call.result("repo.audit_log")
