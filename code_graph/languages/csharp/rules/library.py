"""External types and methods of C# through which values of the repository pass."""

from __future__ import annotations

from typing import Final

# names of one type
SYNONYMS: Final = {
    "String": "string",
    "Object": "object",
    "Boolean": "bool",
    "Byte": "byte",
    "Char": "char",
    "Int16": "short",
    "Int32": "int",
    "Int64": "long",
    "Single": "float",
    "Double": "double",
    "Decimal": "decimal",
}
LITERALS: Final = {"str": "string", "float": "double"}
PLAIN: Final = frozenset(
    """
    string bool byte sbyte char short ushort int uint long ulong float double decimal void
    Guid DateTime DateTimeOffset TimeSpan
    """.split()  # noqa: SIM905 a list of words reads better
)
# functions by the number of their type arguments that are parameters; the last one is the result
FUNC: Final = "Func"
ACTION: Final = "Action"
PREDICATES: Final = frozenset({"Predicate"})
COMPARING: Final = frozenset({"Comparison"})
EVENTS: Final = frozenset({"EventHandler"})
# types that stand for what they contain
TRANSPARENT: Final = frozenset({"Expression", "Nullable"})
AWAITABLE: Final = frozenset(
    {"Task", "ValueTask", "ConfiguredTaskAwaitable", "ConfiguredValueTaskAwaitable"}
)
MAPS: Final = frozenset(
    """
    Dictionary IDictionary IReadOnlyDictionary ConcurrentDictionary SortedDictionary SortedList
    ImmutableDictionary FrozenDictionary ReadOnlyDictionary Lookup ILookup
    """.split()  # noqa: SIM905 a list of words reads better
)
PAIR: Final = "KeyValuePair"
GROUPING: Final = "IGrouping"
# interfaces of lists and other sequences
_OF_LISTS: Final = ("IEnumerable", "ICollection", "IList", "IReadOnlyList", "IReadOnlyCollection")
CONVERSIONS: Final = frozenset(
    {(one, other) for one in ("List", "[]", "IList", "Collection") for other in _OF_LISTS}
    | {("HashSet", "ISet"), ("HashSet", "ICollection"), ("HashSet", "IEnumerable")}
    | {("ISet", "IEnumerable"), ("ICollection", "IEnumerable"), ("IQueryable", "IEnumerable")}
    | {("IReadOnlyList", "IEnumerable"), ("IReadOnlyCollection", "IEnumerable")}
    | {("IReadOnlyList", "IReadOnlyCollection"), ("IOrderedEnumerable", "IEnumerable")}
    | {("Queue", "IEnumerable"), ("Stack", "IEnumerable"), ("IGrouping", "IEnumerable")}
    | {("[]", "Span"), ("[]", "ReadOnlySpan"), ("Span", "ReadOnlySpan"), ("[]", "Array")}
    | {(one, other) for one in MAPS for other in ("IDictionary", "IReadOnlyDictionary")}
    | {(one, "IEnumerable") for one in MAPS}
    | {("string", "IEnumerable"), ("string", "ReadOnlySpan"), ("string", "IComparable")}
)

# methods of sequences that give a sequence of the same elements
SAME: Final = frozenset(
    """
    Where OrderBy OrderByDescending ThenBy ThenByDescending Take Skip TakeWhile SkipWhile TakeLast
    SkipLast Distinct DistinctBy Reverse Concat Union Intersect Except ToList ToArray ToHashSet
    AsEnumerable AsQueryable AsReadOnly AsParallel Append Prepend DefaultIfEmpty ToImmutableArray
    ToImmutableList ToImmutableHashSet ExceptBy UnionBy IntersectBy Order OrderDescending FindAll
    GetRange AsSpan Slice ToListAsync ToArrayAsync AsNoTracking Include ConfigureAwait
    WithCancellation
    """.split()  # noqa: SIM905 a list of words reads better
)
# methods and properties that give an element
ELEMENT: Final = frozenset(
    """
    First FirstOrDefault Last LastOrDefault Single SingleOrDefault ElementAt ElementAtOrDefault
    MinBy MaxBy Find FindLast Dequeue Peek Pop Current Value Result GetResult Max Min Aggregate
    FirstAsync FirstOrDefaultAsync SingleAsync SingleOrDefaultAsync GetValueOrDefault Random Take
    """.split()  # noqa: SIM905 a list of words reads better
)
# properties and methods of maps that give a value
VALUE: Final = frozenset({"GetValueOrDefault", "GetOrAdd", "AddOrUpdate"})
TYPED: Final = frozenset({"Cast", "OfType"})
# methods that give the second argument's function as many results as there are elements
MAPPED: Final = frozenset({"Select", "ConvertAll"})
FLATTENED: Final = frozenset({"SelectMany"})
# external methods that pass nothing that is known on to a function
_UNKNOWN: Final = frozenset({"Zip", "Join", "GroupJoin"})


def passes_elements(name: str) -> bool:
    """True if a method of a sequence gives elements to a function."""
    return name not in _UNKNOWN
