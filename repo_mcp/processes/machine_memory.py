"""The memory of this machine, or of the part of it that this process may use."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

# where control groups of Linux limit the memory of a container
_GROUP_LIMIT: Final = "/sys/fs/cgroup/memory.max"


def machine_memory(group_limit: str = _GROUP_LIMIT) -> int:
    """Bytes of memory; 0 where the system does not say."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 0
    # "max", or no such file; a start loads no pathlib
    with suppress(OSError, ValueError), open(group_limit, "rb") as file:  # noqa: PTH123 as said
        memory = min(memory, int(file.read()))
    return max(memory, 0)
