"""The mark of paths of installed packages."""

from __future__ import annotations

from typing import Final

# folders with a package that was built elsewhere begin with it: nothing in them is a source
INSTALLED: Final = "deps:"


def is_package(name: str) -> bool:
    """True for the root of an installed package, and for paths in one."""
    return name.startswith(INSTALLED)
