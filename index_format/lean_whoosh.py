"""Imports Whoosh without the modules whose functions it names and, to score, never calls.

Loading the network library takes a tenth of what a search takes from a cold start, the entities
of HTML and pickles a fiftieth.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, Final

_NETWORK: Final = "urllib.request"
_UNUSED: Final = {
    "html": ("escape",),
    "pickle": ("dump", "dumps", "load", "loads"),
    _NETWORK: ("urlretrieve",),
}


def _late(module: str, name: str) -> Callable[..., Any]:
    """The function, whose module is imported when it is called; none that uses the network."""

    def call(*args: object, **named: object) -> object:
        if module == _NETWORK:
            message = "there is no network here"
            raise OSError(message)
        return getattr(import_module(module), name)(*args, **named)

    return call


def _import_compat() -> None:
    if "whoosh.compat" in sys.modules:
        return
    stand_ins: dict[str, ModuleType] = {}
    for module, names in _UNUSED.items():
        if module not in sys.modules:
            stand_ins[module] = ModuleType(module)
            vars(stand_ins[module]).update({name: _late(module, name) for name in names})
    sys.modules.update(stand_ins)
    try:
        import whoosh.compat  # noqa: F401, PLC0415 only while names stand for something else
    finally:
        for module in stand_ins:
            del sys.modules[module]


_import_compat()
