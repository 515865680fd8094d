"""The linker's rules of Rust's standard library: containers, wrappers, iterators."""

from __future__ import annotations

from typing import Final

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
# methods of traits of other crates
NOT_STANDARD: Final = frozenset({"sorted", "par_iter"})
# other methods that many types have
OTHER: Final = frozenset("len is_empty push extend fold size_hint fmt eq cmp hash".split())  # noqa: SIM905
# wrapped values by the functions that make them
MAKING: Final = {"Some": "Option", "Ok": "Result"}
# names of methods that most types have by derivation
DERIVED: Final = frozenset({"default", "clone", "to_owned", "borrow", "as_ref", "as_mut", "into"})


def is_of_library(name: str) -> bool:
    """True if types of the standard library have a method of a name."""
    return (
        name in HELD
        or (name in SAME and name not in NOT_STANDARD)
        or name in ELEMENT
        or name in VALUES
        or name in MAPPED
        or name in OF_ERROR
        or name in DERIVED
        or name in OTHER
    )
