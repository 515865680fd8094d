"""External types and methods of Java through which values of the repository pass."""

from __future__ import annotations

from typing import Final

# types by the names that Kotlin and Scala have for them; of two of Java's, the plain one first
PLATFORM_NAMES: Final = {
    **{name: name.capitalize() for name in ("int", "long", "short", "byte", "char", "boolean")},
    "double": "Double",
    "float": "Float",
    "void": "Unit",
    "Object": "Any",
    "Integer": "Int",
    "Character": "Char",
    "java.lang.String": "String",
}
# how Java says what Kotlin has without it: the only object of a class
INSTANCE: Final = "INSTANCE"
COMPANION: Final = "companion"
LITERALS: Final = {"str": "String", "bool": "boolean"}
PLAIN: Final = frozenset(
    "int long short byte char boolean double float void String Class".split()  # noqa: SIM905 a list of words reads better
)
# the static methods that an enum has without declaring them
ENUM: Final = "Enum"
OF_ENUMS: Final = frozenset({"valueOf", "values"})
# types whose constants stand after `case` by their names in scope
OF_CASES: Final = frozenset(
    "int short byte char Integer Short Byte Character String".split()  # noqa: SIM905 a list of words reads better
)
# functional interfaces: how many of the type arguments are parameters, and whether the last one is
# the result
FUNCTIONS: Final = {
    "Function": (1, True),
    "BiFunction": (2, True),
    "Supplier": (0, True),
    "Callable": (0, True),
    "Consumer": (1, False),
    "BiConsumer": (2, False),
    "Predicate": (1, False),
    "BiPredicate": (2, False),
    "Runnable": (0, False),
    "ToIntFunction": (1, False),
    "ToLongFunction": (1, False),
    "ToDoubleFunction": (1, False),
    "IntFunction": (0, True),
}
# functions of as many parameters of one type
SAME_TYPE: Final = {"UnaryOperator": 1, "BinaryOperator": 2, "Comparator": 2}
INVOKING: Final = frozenset(
    {"apply", "accept", "get", "test", "run", "call", "compare", "applyAsInt", "applyAsLong"}
)
MAPS: Final = frozenset(
    """
    Map HashMap LinkedHashMap TreeMap SortedMap NavigableMap ConcurrentMap ConcurrentHashMap
    EnumMap WeakHashMap IdentityHashMap Hashtable ImmutableMap
    """.split()  # noqa: SIM905 a list of words reads better
)
ENTRY: Final = "Entry"
# methods of containers, iterators, streams and optional values that give an element
ELEMENT: Final = frozenset(
    """
    get getFirst getLast next previous remove removeFirst removeLast poll pollFirst pollLast
    peek peekFirst peekLast pop element first last orElse orElseGet orElseThrow set join take
    elementAt firstElement lastElement nextElement
    """.split()  # noqa: SIM905 a list of words reads better
)
# … that give something with the same elements
SAME: Final = frozenset(
    """
    stream parallelStream filter sorted limit skip distinct iterator listIterator subList
    descendingIterator findFirst findAny toList boxed sequential parallel reversed spliterator
    headSet tailSet subSet onClose unordered takeWhile dropWhile collect toArray min max
    elements clone
    """.split()  # noqa: SIM905 a list of words reads better
)
MAPPED: Final = frozenset({"map", "thenApply", "mapToObj"})
FLATTENED: Final = frozenset({"flatMap", "thenCompose"})
VALUE: Final = frozenset(
    """
    get getOrDefault put putIfAbsent remove computeIfAbsent computeIfPresent compute merge
    replace
    """.split()  # noqa: SIM905 a list of words reads better
)
# static methods that make a container of their arguments
MAKING: Final = frozenset(
    """
    List.of Set.of Arrays.asList Optional.of Optional.ofNullable Stream.of Arrays.stream
    Collections.singletonList Collections.singleton Collections.unmodifiableList
    Collections.unmodifiableSet Collections.unmodifiableCollection Collections.synchronizedList
    CompletableFuture.completedFuture List.copyOf Set.copyOf Objects.requireNonNull
    Collections.emptyList
    """.split()  # noqa: SIM905 a list of words reads better
)
# … of the elements of a container that is their argument
COPYING: Final = frozenset({"List.copyOf", "Set.copyOf", "Arrays.stream"})
PASSING: Final = frozenset({"Objects.requireNonNull", "Objects.requireNonNullElse"})
_OF_COLLECTIONS: Final = ("Iterable", "Collection")
CONVERSIONS: Final = frozenset(
    {(one, other) for one in ("List", "Set", "ArrayList", "HashSet") for other in _OF_COLLECTIONS}
    | {("ArrayList", "List"), ("LinkedList", "List"), ("HashSet", "Set"), ("TreeSet", "Set")}
    | {(one, "Map") for one in MAPS}
    | {("String", "CharSequence"), ("String", "Comparable"), ("StringBuilder", "CharSequence")}
)
