"""The linker's rules of Rust's standard library: containers, wrappers, iterators."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

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
# types whose members are those of what they hold
POINTERS: Final = frozenset(
    """
    Box Rc Arc Cow Ref RefMut MutexGuard RwLockReadGuard RwLockWriteGuard Pin Cell RefCell Mutex
    RwLock Weak OnceCell OnceLock LazyLock Lazy ManuallyDrop NonNull
    """.split()  # noqa: SIM905 a list of words reads better
)
MAYBE: Final = frozenset({"Option", "Result"})
# methods that give the held value
HELD: Final = frozenset(
    """
    unwrap expect unwrap_or unwrap_or_default unwrap_or_else unwrap_unchecked lock borrow
    borrow_mut as_ref as_mut as_deref as_deref_mut read write get_mut into_inner upgrade deref
    get_or_insert_with insert get_or_insert or_default or_insert or_insert_with await
    """.split()  # noqa: SIM905
)
# methods that give the same value again
SAME: Final = frozenset(
    """
    iter iter_mut into_iter filter rev take skip skip_while take_while collect chain peekable
    cloned copied by_ref as_slice as_mut_slice drain inspect step_by to_vec to_owned clone ok
    ok_or ok_or_else map_err or or_else as_ref as_mut cycle fuse sorted par_iter split_off
    entry into_boxed_slice lock borrow borrow_mut
    """.split()  # noqa: SIM905
)
# methods that give an element, or none
ELEMENT: Final = frozenset(
    """
    next pop first last get get_mut find max min nth remove first_mut last_mut pop_front pop_back
    front back peek next_back max_by_key min_by_key max_by min_by find_map swap_remove recv
    try_recv insert
    """.split()  # noqa: SIM905
)
VALUES: Final = frozenset({"values", "values_mut", "into_values"})
MAPPED: Final = frozenset({"map", "filter_map", "flat_map", "and_then", "map_while", "then"})
# methods that pass the error, or nothing
OF_ERROR: Final = frozenset({"map_err", "unwrap_or_else", "or_else", "inspect_err"})
NO_ARGUMENT: Final = frozenset({"get_or_insert_with", "or_insert_with", "ok_or_else"})
# other methods that many types have
OTHER: Final = frozenset("len is_empty push extend fold size_hint fmt eq cmp hash".split())  # noqa: SIM905
# wrapped values by the functions that make them
MAKING: Final = {"Some": "Option", "Ok": "Result"}
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
