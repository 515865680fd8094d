"""Reserves standard input and output for the protocol: prints of libraries go to stderr."""

from __future__ import annotations

import os
import sys


def take_over() -> tuple[int, int]:
    """Private descriptors of input and output; afterwards the standard ones are harmless."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    try:
        os.fstat(2)
    except OSError:  # closed: else the next opened file would become standard error
        os.dup2(nowhere, 2)
    source, sink = os.dup(0), os.dup(1)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    if nowhere > 2:
        os.close(nowhere)
    sys.stdout = sys.stderr
    return source, sink
