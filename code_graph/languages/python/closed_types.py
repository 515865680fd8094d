"""Types and modules of Python's library for which no class of a repository without bases stands."""

from __future__ import annotations

import sys
from typing import Final

_BUILTIN: Final = frozenset(
    """
    str bytes bytearray int float complex bool list dict set frozenset tuple range open super
    """.split()  # noqa: SIM905 a list of words reads better
)
# types that nothing inherits from
FINAL: Final = frozenset({"Pattern"})
# modules whose types say only which members an object has
_BY_SHAPE: Final = frozenset({"typing", "collections", "abc", "numbers", "contextlib", "types"})


def is_closed(owner: str) -> bool:
    """True for a module of the library, or a type of it that is made, by its whole name."""
    parts = owner.split(".")
    module = parts[0]
    if module == "builtins":
        return len(parts) == 2 and (parts[1] in _BUILTIN or parts[1].endswith(_RAISED))
    if module not in sys.stdlib_module_names or module in _BY_SHAPE:
        return False
    is_shape = parts[-1].endswith(("Base", "Like", "IO")) and parts[-1] not in _MADE
    if is_shape or len(parts) < 2:
        return False
    # behind a type, a member of it may be anything, and so is what a function gives
    is_inner = any(part[:1].isupper() for part in parts[1:-1])
    return owner in _SMALL or (parts[-1][:1].isupper() and not is_inner)


# types, and objects of the library, that begin with a small letter
_SMALL: Final = frozenset(
    {"datetime.datetime", "datetime.date", "datetime.timedelta", "socket.socket", "array.array"}
    | {"socket.error", "select.error", "os.error"}
    | {"os.environ", "sys.stdout", "sys.stderr", "sys.stdin", "sys.argv", "sys.path"}
)
_RAISED: Final = ("Error", "Exception", "Warning", "Interrupt", "Exit", "object")
_MADE: Final = frozenset({"BytesIO", "StringIO", "FileIO"})


def is_module(owner: str) -> bool:
    """True for a module of the library: its functions are no methods."""
    parts = owner.split(".")
    is_named = parts[0] in sys.stdlib_module_names and parts[0] != "builtins"
    return is_named and owner in _MODULES.get(parts[0], {parts[0]})


# modules in packages of the library
_MODULES: Final = {
    "os": {"os", "os.path"},
    "urllib": {"urllib.parse", "urllib.request", "urllib.error"},
    "importlib": {"importlib", "importlib.util", "importlib.metadata", "importlib.resources"},
    "xml": {"xml.etree.ElementTree", "xml.dom.minidom"},
    "concurrent": {"concurrent.futures"},
    "http": {"http.client", "http.server"},
    "email": {"email.utils"},
}
