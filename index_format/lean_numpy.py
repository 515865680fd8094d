"""Imports numpy without tidying the documentation of its functions, which nobody reads here.

numpy has Python take the margins off 370 texts each time it is loaded: a twentieth of a search from
a cold start.
"""

from __future__ import annotations

import inspect


def _as_it_is(doc: str) -> str:
    return doc


def _import() -> None:
    tidy = inspect.cleandoc
    inspect.cleandoc = _as_it_is
    try:
        import numpy as np  # noqa: F401, PLC0415 only while texts are left as they are
    finally:
        inspect.cleandoc = tidy


_import()
