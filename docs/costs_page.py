"""Generates the page on what answers cost from the result of `python -m bench.costs`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parents[1] / "bench" / "results"
RESULT = RESULTS / "costs.json"
TASKS = RESULTS / "tasks.json"
FIRST_REQUEST = RESULTS / "first-request.json"
TRIALS = RESULTS / "trial-costs.json"
RUN = (
    "python -m bench.trials run claude --tree ~/tree --tasks ~/tasks.md --name mine"
    " --server ~/clean/bin/repo-mcp"
)
HEAD = """# What answers cost

Written by `make docs` from [bench/results/costs.json](../bench/results/costs.json), which
`python -m bench.costs` measures: bytes in UTF-8 on the standard library of CPython 3.11 (2,091
files). An agent's model reads the text of an answer or its structured form, rarely both:
[clients.md](clients.md) says which, and `repo-mcp install` writes `--content` accordingly.
[0017](decisions/0017-answers-fit-a-page.md) has the reasons.
"""


def page() -> str:
    """The whole page."""
    found = json.loads(RESULT.read_text("utf-8"))
    parts = [
        HEAD,
        *_answers(found),
        *_tasks(tasks_result()),
        *_first_request(),
        *_sessions(),
        *_peers(found),
    ]
    return "\n".join(parts).rstrip("\n") + "\n"


def tasks_result() -> dict[str, Any]:
    """The recorded result of the thirty tasks."""
    found: dict[str, Any] = json.loads(TASKS.read_text("utf-8"))
    return found


def _answers(found: Mapping[str, Any]) -> Iterator[str]:
    now, before = found["now"], found["before"]
    yield "## Answers\n"
    yield (
        f"The list of the {now['tools']} default tools takes {now['tools_bytes']:,} bytes, and took"
        f" {before['tools_bytes']:,}; with `--content text` it is smaller still, as there are no"
        " schemas of results. Before and now:\n"
    )
    yield "| answer | text | structured | text before | structured before | beside |"
    yield "|---|---|---|---|---|---|"
    for label, sizes in now["calls"].items():
        old = before["calls"][label]
        beside = ""
        if label in found["rg"]:
            beside = f"`rg -n`: {found['rg'][label]:,}"
        elif label in found["files"]:
            beside = f"the file: {found['files'][label]:,}"
        yield (
            f"| {label} | {sizes['text']:,} | {sizes['structured']:,} | {old['text']:,} |"
            f" {old['structured']:,} | {beside} |"
        )
    yield ""


def _tasks(found: Mapping[str, Any]) -> Iterator[str]:
    yield "## Tasks\n"
    yield (
        "Thirty tasks on six repositories in six languages that no weight was tuned on, with"
        " answers read from the sources ([tasks.toml](../bench/tasks/tasks.toml)), done by a"
        " [policy](../bench/tasks/policies.py) for each side: the natural first call, then at most"
        " four more, chosen from what the answers so far show. One side has the default tools"
        " through an MCP client, the other `rg -n` and `sed -n`. Right is the share of the lines"
        " that answer a task and were shown; bytes are those of the text of all answers"
        " (`python -m bench.tasks`).\n"
    )
    yield tasks_table(found)
    yield ""


def tasks_table(found: Mapping[str, Any]) -> str:
    """The tasks by kind, each side beside the other."""
    lines = [
        "| kind | tasks | right at first: repo-mcp, rg | right in the end | calls | bytes |",
        "|---|---|---|---|---|---|",
    ]
    for kind, sides in found["kinds"].items():
        ours, theirs = sides["repo-mcp"], sides["rg and sed"]
        cells = [
            *(f"{ours[key]:.2f}, {theirs[key]:.2f}" for key in ("right_at_first", "right_at_end")),
            *(f"{ours[key]:,}, {theirs[key]:,}" for key in ("calls", "bytes")),
        ]
        lines.append(f"| {kind} | {ours['tasks']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _first_request() -> Iterator[str]:
    found = json.loads(FIRST_REQUEST.read_text("utf-8"))
    yield "## Before the first call\n"
    yield (
        "What `repo-mcp install` writes, and what the server says of itself, has to be in the first"
        " request to the model, byte by byte; a mock model keeps that request"
        " ([first-request.json](../bench/results/first-request.json), `python -m bench.clients`"
        " with `--parts --record`). Bytes of the request and of tools are those of their JSON; a"
        " text has its own, or is left out. The text of the skill, which is that of the block, is"
        " read when the model takes the skill. Gemini CLI writes brackets in text of hooks as"
        " entities.\n"
    )
    names = list(dict.fromkeys(part["part"] for row in found["clients"] for part in row["parts"]))
    yield f"| client | the request | tools, whole | of these bytes | {' | '.join(names)} |"
    yield f"|---|---|---|---|{'---|' * len(names)}"
    for row in found["clients"]:
        tools = row["tools"]
        sizes = {part["part"]: f"{part['bytes']:,}" for part in row["parts"] if part["whole"]}
        cells = [
            f"{row['client']} {row['version']}",
            f"{row['bytes of the request']:,}",
            f"{tools['whole']} of {tools['declared']}",
            f"{tools['bytes']:,}",
            *(sizes.get(name, "left out") for name in names),
        ]
        yield f"| {' | '.join(cells)} |"
    yield ""


def _sessions() -> Iterator[str]:
    found = json.loads(TRIALS.read_text("utf-8"))
    law = found["law"]
    yield "## Sessions\n"
    yield (
        "Recorded trials: an assistant answers ten or twelve tasks on repositories that it has not"
        " seen, with the shell alone, with these tools alone, and with both; every call is kept"
        " ([trials](../bench/results/trials)). Tokens are not measured but follow a law that others"
        f" have published for sessions of agents: {law['session']:,} and {law['call']:,} for each"
        " call. By it calls decide, and not the bytes of an answer"
        " ([trial-costs.json](../bench/results/trial-costs.json), `python -m bench.trials costs`"
        " with `--record`).\n"
    )
    yield "| trials with | contestant | trials | calls | bytes of answers | tokens by the law |"
    yield "|---|---|---|---|---|---|"
    for label, arms in found["sums"].items():
        for arm, cost in arms.items():
            yield (
                f"| {label} | {arm} | {cost['trials']} | {cost['calls']} | {cost['bytes']:,} |"
                f" {cost['tokens']:,} |"
            )
    yield (
        "\nThese sessions had no model of a client behind them that counts tokens. With a client"
        " that is signed in, one command does the tasks of a file in both arms, with the server and"
        " without it: the same client, model, prompt, permissions and files, and the list of"
        " servers as the one setting that differs. Rows, all events of the client and a summary are"
        " kept below `bench/results/trials`. The file has a task under each heading of second"
        " level; answers are scored by hand, by rows of truth that were written before. It works"
        " for `claude` and `codex`.\n"
    )
    yield f"```sh\n{RUN}\n```\n"


def _peers(found: Mapping[str, Any]) -> Iterator[str]:
    yield "## Other servers\n"
    yield (
        "Installed from their registries, started without a network, on the same tree. `lines` is a"
        " search for `shutil.rmtree` (of at most 25 lines where that can be said), `outline` of"
        " textwrap.py, `files` a list of the root folder, `open` 100 lines of json/decoder.py,"
        " `passages` a search for `parse http headers`.\n"
    )
    yield "| server | tools | bytes of their list | answers: text / structured |"
    yield "|---|---|---|---|"
    now = found["now"]
    yield f"| repo-mcp | {now['tools']} | {now['tools_bytes']:,} | above |"
    for name, peer in found["peers"].items():
        if "skipped" in peer:
            yield f"| {name} | | | skipped: {peer['skipped']} |"
            continue
        told = (_need(need, sizes) for need, sizes in peer["needs"].items())
        needs = "; ".join(told) or "only by code that its client writes"
        yield f"| {name} | {peer['tools']} | {peer['tools_bytes']:,} | {needs} |"
    yield ""


def _need(need: str, sizes: Mapping[str, Any]) -> str:
    if "failed" in sizes:
        return f"{need}: failed ({' '.join(sizes['failed'].split())[:60]})"
    return f"{need}: {sizes['text']:,} / {sizes['structured']:,}"
