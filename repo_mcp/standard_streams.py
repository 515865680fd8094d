"""Keeps standard input and output to ourselves: a print of any library must not end up in them."""

from __future__ import annotations

import os
import sys


def taken_over() -> tuple[int, int]:
    """Private descriptors for input and output; the standard ones are made harmless."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    try:
        os.fstat(2)
    except OSError:  # without it, the first file opened would become standard error
        os.dup2(nowhere, 2)
    source, sink = os.dup(0), os.dup(1)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    if nowhere > 2:
        os.close(nowhere)
    sys.stdout = sys.stderr
    return source, sink
