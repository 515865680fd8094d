"""The methods that interfaces of Go's library demand, by the last parts of their names."""

from __future__ import annotations

from typing import Final

DEMANDED: Final = {
    "Closer": ("Close",),
    "Reader": ("Read",),
    "Writer": ("Write",),
    "Stringer": ("String",),
    "error": ("Error",),
}
