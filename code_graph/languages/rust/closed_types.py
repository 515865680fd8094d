"""Types of Rust's library that have no methods of other types: they stand for nothing else."""

from __future__ import annotations

from typing import Final

_CLOSED: Final = frozenset(
    """
    u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char str String [] Vec Option
    Result HashMap HashSet BTreeMap BTreeSet VecDeque Range RangeInclusive Duration Instant Path
    PathBuf OsStr OsString
    """.split()  # noqa: SIM905 a list of words reads better
)
# types that dereference to what they hold
DEREFERENCED: Final = frozenset(
    """
    Box Rc Arc Ref RefMut MutexGuard RwLockReadGuard RwLockWriteGuard Cow ManuallyDrop Pin LazyLock
    LazyCell NonNull
    """.split()  # noqa: SIM905 as above
)
# paths of these crates begin with their names, those of types don't
_CRATES: Final = ("std.", "core.", "alloc.")
# no type inherits from another
FINAL: Final[frozenset[str]] = frozenset()


def is_closed(owner: str) -> bool:
    """True for a type that dereferences to none of the repository, or a path into the library."""
    if owner in _CLOSED:
        return True
    is_path = owner.startswith(_CRATES) and "(" not in owner
    return is_path and owner.rpartition(".")[2] not in DEREFERENCED


def is_module(owner: str) -> bool:
    """True for a module of the library: its functions are no methods."""
    return owner.startswith(_CRATES) and owner.rpartition(".")[2].islower() and "(" not in owner
