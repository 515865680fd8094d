"""Measures publishing a tree, and pulling it into a second checkout over a limited link.

    python -m bench.publish --root TREE --keep FOLDER [--record] [--graph]

TREE is copied twice into FOLDER. The first copy is indexed (with its symbol graph under `--graph`)
and published into a folder, which a plain web server of this machine serves through a link of 100
Mbit/s with 30 ms a request. The second copy, with 100 files that differ, answers its first search
from there; then the first one changes the same files and publishes again, and the second one pulls.
Checked are the answer, and that both have the same segments. Seconds are those of the wall, which
the link decides; processor seconds are of this program alone.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import Any, Final

from bench.machine import keep
from bench.publish.commands import Step, run
from bench.publish.link import Link
from bench.publish.web import Web

_BYTES_PER_SECOND: Final = 100e6 / 8
_DELAY: Final = 0.030
_CHANGED: Final = 100
_MARK: Final = "published_index_marker"


def main() -> int:
    """Run all steps and print, or record, the figures."""
    parser = argparse.ArgumentParser(description="publish and pull over a limited link")
    parser.add_argument("--root", type=Path, required=True, metavar="TREE")
    parser.add_argument("--keep", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--graph", action="store_true")
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    one, two = (_copied(args.root, args.keep / name) for name in ("one", "two"))
    store = args.keep / "published"
    shutil.rmtree(store, ignore_errors=True)
    graph = () if args.graph else ("--no-graph",)
    figures: dict[str, Any] = {"files": sum(file.is_file() for file in one.rglob("*"))}
    run(one, "index")
    url = store.resolve().as_uri()
    figures["publish"] = _figures(run(one, "publish", url, *graph, "--json"), "uploaded")
    figures["publish again"] = _figures(run(one, "publish", url, *graph, "--json"), "uploaded")
    changed = _change(two)
    with (
        Web(store) as web,
        Link(web.port, bytes_per_second=_BYTES_PER_SECOND, delay=_DELAY) as link,
    ):
        far = f"http://127.0.0.1:{link.port}/"
        figures["first answer, 100 files changed"] = _answer(two, far, web, link)
        figures["refresh, nothing changed"] = _figures(run(two, "index", "--json"))
        _change(one)
        run(one, "index")
        step = run(one, "publish", url, *graph, "--json")
        figures["publish 100 changed files"] = _figures(step, "uploaded")
        figures["pull 100 changed files"] = _pulled(two, far, web, link)
    assert _segments(one) == _segments(two), "both checkouts have equal files"
    figures["changed"] = changed
    print(json.dumps(figures, indent=2))
    if args.record:
        keep(
            f"publish-{args.root.name}{'-graph' if args.graph else ''}",
            {"link": "100 Mbit/s, 30 ms a request", **figures},
        )
    return 0


def _copied(root: Path, target: Path) -> Path:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(root, target, symlinks=True, ignore=shutil.ignore_patterns(".repo_mcp"))
    return target


def _change(root: Path) -> int:
    """Change the first hundred sources in the same way in any copy."""
    files = sorted(file for file in root.rglob("*.py") if file.stat().st_size < 1 << 16)[:_CHANGED]
    for number, file in enumerate(files):
        with file.open("a", encoding="utf-8") as text:
            text.write(f"\n\ndef {_MARK}_{number}():\n    return {number}\n")
    return len(files)


def _figures(step: Step, key: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {"seconds": round(step.seconds, 1), "cpu_seconds": round(step.cpu, 1)}
    if key:
        record = json.loads(step.text)
        found |= {"segments": record[key], "bytes": record[f"{key}_size"]}
    return found


def _over(step: Step, web: Web, link: Link, before: tuple[int, int]) -> dict[str, Any]:
    return {
        **_figures(step),
        "requests": len(web.requests) - before[0],
        "link_bytes": link.answered - before[1],
    }


def _answer(root: Path, url: str, web: Web, link: Link) -> dict[str, Any]:
    """The first search of a new checkout, of a text that only its own changes have."""
    before = len(web.requests), link.answered
    step = run(root, "search", "-F", f"{_MARK}_7()", "-l", "--index-from", url)
    assert len(step.text.split()) == 1, step.text
    return _over(step, web, link, before)


def _pulled(root: Path, url: str, web: Web, link: Link) -> dict[str, Any]:
    before = len(web.requests), link.answered
    step = run(root, "pull", url, "--json")
    fetched = json.loads(step.text)["pull"]
    figures = _over(step, web, link, before)
    return {**figures, "segments": fetched["fetched"], "bytes": fetched["fetched_size"]}


def _segments(root: Path) -> list[str]:
    lines = json.loads(run(root, "dump", "--json").text)["lines"]
    return sorted(line.split()[0] for line in lines if line.startswith("seg-"))


if __name__ == "__main__":
    sys.exit(main())
