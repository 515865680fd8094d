"""The linker's rules of Rust's standard library: containers, wrappers, iterators."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from code_graph.declared.effects import LibraryTable
from code_graph.declared.types import ARRAY

_TEXT: Final = Path(__file__).with_name("library.txt")
# types whose methods the text has under the name of another one
_ALIKE: Final = {
    **dict.fromkeys(
        "u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize NonZero Wrapping".split(),  # noqa: SIM905
        "int",
    ),
    "f32": "float",
    "f64": "float",
    ARRAY: "slice",
}
LIBRARY: Final = LibraryTable.of("rust")
POINTERS: Final = LIBRARY.types["pointers"]
MAYBE: Final = LIBRARY.types["maybe"]
# other methods that many types have
OTHER: Final = frozenset("len is_empty push extend fold size_hint fmt eq cmp hash".split())  # noqa: SIM905
# names of methods that most types have by derivation
DERIVED: Final = frozenset({"default", "clone", "to_owned", "borrow", "as_ref", "as_mut", "into"})


def is_inherent(type_name: str, name: str) -> bool:
    """True if a type of the library has a method itself, before any of a trait."""
    short = type_name.rpartition(".")[2]
    return name in _methods().get(_ALIKE.get(short, short), ())


def has_method(type_name: str, name: str) -> bool:
    """True if a value of an external type has a method of the library; any may be an iterator."""
    if is_inherent(type_name, name) or name in _methods()["Iterator"] or name in DERIVED:
        return True
    return bool(type_name) and name in OTHER


@cache
def _methods() -> Mapping[str, frozenset[str]]:
    """The methods that types themselves have, as `library.txt` lists them by type."""
    rows = (line.partition(": ") for line in _TEXT.read_text("utf-8").splitlines())
    return {name: frozenset(methods.split()) for name, _, methods in rows}
