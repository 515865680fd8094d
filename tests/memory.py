"""Peak memory of a program."""

from __future__ import annotations

from pathlib import Path


def peak_memory() -> int:
    """Bytes; of this program alone, where `ru_maxrss` may be that of the one that started it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if "VmHWM" in line)
