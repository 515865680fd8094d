"""Costs of recorded trials: calls, bytes and tokens of each contestant, from rows that are kept.

Each call is a turn of a model, which reads again all that came before it. A law that others have
published for sessions of coding agents: tokens are about 35,000, and 33,000 more for each call.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

TRIALS: Final = Path(__file__).parents[1] / "results" / "trials"
SESSION_TOKENS: Final = 35_000
CALL_TOKENS: Final = 33_000
# what a client does by itself before the first call
_LISTING: Final = "list"
_LOG: Final = "log-"


def trial_costs(folder: Path = TRIALS) -> dict[str, Any]:
    """The costs of all trials, and the sum of those that had the same contestants."""
    trials = {trial.name: arms_of(trial) for trial in sorted(folder.iterdir()) if trial.is_dir()}
    trials = {name: arms for name, arms in trials.items() if arms}
    return {
        "law": {"session": SESSION_TOKENS, "call": CALL_TOKENS},
        "trials": trials,
        "sums": {
            "shell and tools": _sum(trials.values(), ("shell", "tools")),
            "shell, tools and both": _sum(trials.values(), ("shell", "tools", "both")),
        },
    }


def arms_of(trial: Path) -> dict[str, dict[str, int]]:
    """The contestants of a trial with their calls, bytes of answers, and tokens by the law."""
    return {
        log.stem.removeprefix(_LOG): cost_of(map(json.loads, log.read_text("utf-8").splitlines()))
        for log in sorted(trial.glob(f"{_LOG}*.jsonl"))
    }


def cost_of(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """The cost of one contestant's calls."""
    calls = [row for row in rows if row.get("tool") != _LISTING]
    return {
        "calls": len(calls),
        "bytes": sum(row["bytes"] for row in calls),
        "tokens": SESSION_TOKENS + CALL_TOKENS * len(calls),
    }


def _sum(
    trials: Iterable[Mapping[str, Mapping[str, int]]], arms: Iterable[str]
) -> dict[str, dict[str, int]]:
    wanted = list(arms)
    having = [trial for trial in trials if set(wanted) <= set(trial)]
    return {
        arm: {
            "trials": len(having),
            **{
                key: sum(trial[arm][key] for trial in having)
                for key in ("calls", "bytes", "tokens")
            },
        }
        for arm in wanted
    }
