"""Measures answers about a symbol of a fresh clone, whose index and graph are being made.

    python -m bench.answers.symbols --root TREE --keep FOLDER --name NAME [--seconds 30] [--record]

A server without an index is started and asked for the symbol again and again. To conclude: seconds
of each answer, and how long after the start the first one came that has uses.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import time
from pathlib import Path
from typing import Any, Final

from bench import machine
from bench.costs.server import Server

_PAUSE: Final = 0.4


def main() -> None:
    """Measure and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--name", required=True)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    data = args.keep.resolve() / "symbols-fresh"
    shutil.rmtree(data, ignore_errors=True)
    command = [sys.executable, "-P", "-m", "repo_mcp", "serve", "--repo-root", str(args.root)]
    times: list[float] = []
    first_uses: float | None = None
    begin = time.perf_counter()
    with Server([*command, "--data-dir", str(data)], args.root, os.environ) as server:
        while time.perf_counter() - begin < args.seconds:
            asked = time.perf_counter()
            text = server.call("repo.symbol", {"name": args.name}).text
            times.append(time.perf_counter() - asked)
            if first_uses is None and "used in code" in text:
                first_uses = round(time.perf_counter() - begin, 1)
            time.sleep(_PAUSE)
    figures: dict[str, Any] = {
        "corpus": args.root.name,
        "name": args.name,
        "answers": len(times),
        "answer_p50_s": round(statistics.median(times), 2),
        "answer_max_s": round(max(times), 2),
        "first_with_uses_s": first_uses,
    }
    print(figures)
    if args.record:
        machine.keep("symbols-of-fresh-clone", figures)


if __name__ == "__main__":
    main()
