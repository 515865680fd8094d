"""Describes the machine of a result, and stores results."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final

RESULTS: Final = Path(__file__).parent / "results"
_PACKAGES: Final = ("numpy", "whoosh-reloaded", "tantivy", "xxhash", "msgpack")


def described() -> dict[str, object]:
    """Processor, cores, memory, system and versions; no user or host names."""
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gib": round(pages * size / 2**30),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "packages": {name: version(name) for name in _PACKAGES},
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.processor()


def stored(name: str) -> dict[str, object]:
    """Figures that were kept on such a machine, with the same versions; else none."""
    path = RESULTS / f"{name}.json"
    record: dict[str, object] = json.loads(path.read_text()) if path.exists() else {}
    if record.pop("machine", None) != described():
        return {}
    record.pop("measured")
    return record


def keep(name: str, figures: Mapping[str, object]) -> Path:
    """Write figures with the machine and the date to the results folder."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    day = datetime.now(UTC).date().isoformat()
    record = {"measured": day, "machine": described(), **figures}
    path.write_text(json.dumps(record, indent=2) + "\n")
    return path
