"""Costs of recorded trials are those of their rows; new trials differ in one setting alone."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.trials.__main__ import RESULT
from bench.trials.arms import CLIENTS, Client, run_arms, summary, tasks_in
from bench.trials.recorded import TRIALS, cost_of, trial_costs
from tests.repo_mcp.server_process import PROGRAM
from tests.repo_mcp.trees import write

TASKS = "Answer with places.\n\n## Where\nWhere is needle?\n\n## Who\nWho calls it?\n"
# events of Codex 0.171.0 and Claude Code 2.1.197 before a mock model, shortened
CODEX: list[dict[str, Any]] = [
    {"type": "item.started", "item": {"type": "mcp_tool_call", "status": "in_progress"}},
    {"type": "item.completed", "item": {"type": "mcp_tool_call", "tool": "repo.symbol"}},
    {"type": "item.completed", "item": {"type": "command_execution", "command": "rg x"}},
    {"type": "item.completed", "item": {"type": "agent_message", "text": "done"}},
    {"type": "turn.completed", "usage": {"input_tokens": 7, "output_tokens": 2}},
    {"type": "end", "code": 0, "errors": ""},
]
CLAUDE: list[dict[str, Any]] = [
    {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "call-0"}]}},
    {"type": "user", "message": {"content": [{"type": "tool_result"}]}},
    {"type": "assistant", "message": {"content": [{"type": "text", "text": "done"}]}},
    {
        "type": "result",
        "result": "done",
        "total_cost_usd": 0.5,
        "usage": {"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 2},
    },
]


def test_the_recorded_costs_are_those_of_the_rows() -> None:
    recorded = json.loads(RESULT.read_text("utf-8"))
    assert {**trial_costs(), "command": recorded["command"]} == recorded


@pytest.mark.parametrize("trial", sorted(trial_costs()["trials"]))
def test_the_calls_of_a_trial_are_those_that_its_page_counts(trial: str) -> None:
    text = (TRIALS / trial / "README.md").read_text("utf-8")
    (total,) = re.findall(r"^\| all .*$", text, re.MULTILINE)
    counted = sorted(int(number) for number in re.findall(r"\*\*(\d+)\*\*", total))
    assert sorted(arm["calls"] for arm in trial_costs()["trials"][trial].values()) == counted


def test_a_call_costs_what_the_law_says_and_a_listing_nothing() -> None:
    rows = [
        {"tool": "list", "bytes": 9},
        {"tool": "repo.ask", "bytes": 5},
        {"cmd": "rg", "bytes": 2},
    ]
    assert cost_of(rows) == {"calls": 2, "bytes": 7, "tokens": 101_000}


def test_tasks_stand_under_headings_and_have_what_is_told_before() -> None:
    first, second = tasks_in(TASKS)
    assert first.name == "Where"
    assert first.prompt == "Answer with places.\n\nWhere\nWhere is needle?"
    assert second.prompt.endswith("Who\nWho calls it?")


def test_calls_tokens_and_the_answer_are_read_from_the_events_of_a_client() -> None:
    codex = CLIENTS["codex"].read(CODEX)
    assert (codex["calls"], codex["tokens"], codex["answer"]) == (2, 9, "done")
    claude = CLIENTS["claude"].read(CLAUDE)
    assert (claude["calls"], claude["tokens"], claude["answer"]) == (1, 9, "done")
    assert claude["cost"] == 0.5


@pytest.mark.parametrize("name", CLIENTS)
def test_the_list_of_servers_is_the_one_setting_that_differs(name: str) -> None:
    line = CLIENTS[name].line
    without, having = line("why?", (), "m"), line("why?", ("/bin/repo-mcp", "serve", "--x"), "m")
    differing = [part for part in having if part not in without]
    assert "/bin/repo-mcp" in "".join(differing)
    assert json.dumps(["serve", "--x"]).replace(" ", "") in "".join(differing).replace(" ", "")
    rest = [part for part in having if part not in differing and part != "-c"]
    assert [part for part in without if "mcpServers" not in part] == rest


# tells its folder's files and its arguments as an agent's answer
ECHO = """
import json, os, sys
item = {"type": "agent_message", "text": json.dumps([sorted(os.listdir()), sys.argv[1:]])}
print(json.dumps({"type": "item.completed", "item": item}))
print("no event")
"""


@pytest.mark.servers
@pytest.mark.skipif(sys.platform == "win32", reason="starts the server by a script of a shell")
def test_both_arms_do_each_task_on_equal_files_and_keep_what_came(tmp_path: Path) -> None:
    tree = write(tmp_path / "tree", {"a.py": "def needle(): pass\n", ".repo_mcp/x": "old"})
    server = tmp_path / "server"
    server.write_text(f'#!/bin/sh\nexec "{PROGRAM[0]}" -P -c "{PROGRAM[-1]}" "$@"\n', "utf-8")
    server.chmod(0o755)
    client = Client(
        lambda prompt, given, model: ["-c", ECHO, prompt, *given, model], CLIENTS["codex"].read
    )
    kept = tmp_path / "kept"
    kept.mkdir()
    rows = list(run_arms(client, sys.executable, str(server), tree, tasks_in(TASKS), kept, "m"))
    assert [(row["task"], row["arm"]) for row in rows] == [
        *(("Where", "with"), ("Where", "without")),
        *(("Who", "without"), ("Who", "with")),
    ]
    told = [json.loads(row["answer"]) for row in rows]
    assert all(files == ["a.py"] for files, _ in told)
    assert told[0][1] == [told[1][1][0], str(server), "serve", *told[0][1][3:-1], "m"]
    assert told[1][1] == [tasks_in(TASKS)[0].prompt, "m"]
    assert summary(rows)["with"]["calls"] == 0
    kept_rows = (kept / "rows-with.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(row)["task"] for row in kept_rows] == ["Where", "Who"]
    events = [json.loads(row) for row in (kept / "events-with-2.jsonl").read_text().splitlines()]
    assert [event["type"] for event in events] == ["item.completed", "text", "end"]
    assert not (kept / "trees").exists()
