"""The members that interfaces of .NET demand, by the last parts of their names."""

from __future__ import annotations

from typing import Final

DEMANDED: Final = {
    "IDisposable": ("Dispose",),
    "IEnumerable": ("GetEnumerator",),
    "IComparable": ("CompareTo",),
}
