"""The memory of this machine, or of the part of it that this process may use."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

# where control groups of Linux limit the memory of a container
_GROUP_LIMIT: Final = Path("/sys/fs/cgroup/memory.max")


def machine_memory(group_limit: Path = _GROUP_LIMIT) -> int:
    """Bytes of memory; 0 where the system does not say."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 0
    with suppress(OSError, ValueError):  # "max", or no such file
        memory = min(memory, int(group_limit.read_text("ascii")))
    return max(memory, 0)
