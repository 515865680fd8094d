"""Imports Whoosh without the network library, which it names and never uses.

Loading that takes a tenth of what a search takes from a cold start.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Final, NoReturn

_UNUSED: Final = "urllib.request"


def _refuse(*_: object) -> NoReturn:
    message = "there is no network here"
    raise OSError(message)


def _imported() -> None:
    if "whoosh.compat" in sys.modules or _UNUSED in sys.modules:
        return
    stand_in = ModuleType(_UNUSED)
    stand_in.urlretrieve = _refuse  # type: ignore[attr-defined] # all that is asked of it
    sys.modules[_UNUSED] = stand_in
    try:
        import whoosh.compat  # noqa: F401, PLC0415 only while the name stands for something else
    finally:
        del sys.modules[_UNUSED]


_imported()
