"""External types and functions of Kotlin through which values of the repository pass."""

from __future__ import annotations

from typing import Final

LITERALS: Final = {
    "str": "String",
    "int": "Int",
    "long": "Long",
    "float": "Double",
    "single": "Float",
    "bool": "Boolean",
    "char": "Char",
}
PLAIN: Final = frozenset({"Int", "Long", "Short", "Byte", "Char", "Boolean", "Double", "Float"}) | {
    "String",
    "Unit",
}
# functions on any object: those whose function literal has it as `this`, or as `it`
WITH_THIS: Final = frozenset({"apply", "run"})
WITH_IT: Final = frozenset({"also", "let", "takeIf", "takeUnless"})
# … that give the object, or what the literal gives
GIVING_OBJECT: Final = frozenset({"apply", "also", "takeIf", "takeUnless"})
GIVING_RESULT: Final = frozenset({"let", "run", "with"})
ON_ANY: Final = WITH_THIS | WITH_IT
MAKING: Final = {
    **dict.fromkeys(("listOf", "listOfNotNull", "emptyList"), "List"),
    **dict.fromkeys(("mutableListOf", "arrayListOf"), "MutableList"),
    **dict.fromkeys(("setOf", "emptySet"), "Set"),
    **dict.fromkeys(("mutableSetOf", "hashSetOf", "linkedSetOf"), "MutableSet"),
    **dict.fromkeys(("arrayOf", "emptyArray"), "Array"),
    **dict.fromkeys(("mapOf", "emptyMap"), "Map"),
    **dict.fromkeys(("mutableMapOf", "hashMapOf", "linkedMapOf"), "MutableMap"),
    "sequenceOf": "Sequence",
}
MAPS: Final = frozenset({"Map", "MutableMap", "HashMap", "LinkedHashMap", "TreeMap"})
ENTRY: Final = "Entry"
# methods of containers that give an element
ELEMENT: Final = frozenset(
    """
    get getOrNull first firstOrNull last lastOrNull find findLast single singleOrNull random
    elementAt elementAtOrNull removeAt removeFirst removeLast maxBy minBy maxByOrNull minByOrNull
    maxOf next component1 component2 getValue getOrPut getOrDefault getOrElse remove put
    """.split()  # noqa: SIM905 a list of words reads better
)
# … that give something with the same elements
SAME: Final = frozenset(
    """
    filter filterNot filterNotNull sorted sortedBy sortedByDescending sortedWith reversed take drop
    takeLast dropLast takeWhile dropWhile distinct distinctBy toList toMutableList toSet
    toMutableSet asSequence asIterable plus minus shuffled onEach iterator subList filterValues
    filterKeys toMap toMutableMap orEmpty ifEmpty
    """.split()  # noqa: SIM905 a list of words reads better
)
MAPPED: Final = frozenset({"map", "mapNotNull"})
INDEXED: Final = frozenset({"forEachIndexed", "mapIndexed", "filterIndexed"})
FLATTENED: Final = frozenset({"flatMap"})
# … that pass an element to their function, beside those above
VISITING: Final = frozenset(
    """
    forEach any all none count sumOf sumBy associate associateBy associateWith groupBy partition
    indexOfFirst indexOfLast maxOf minOf joinToString removeAll removeIf sortBy sortByDescending
    firstNotNullOf firstNotNullOfOrNull forEachIndexed
    """.split()  # noqa: SIM905 a list of words reads better
)
PASSING: Final = ELEMENT | SAME | MAPPED | FLATTENED | VISITING
# functions whose function literals have no receiver
WITHOUT_THIS: Final = PASSING | WITH_IT | INDEXED | {"lazy", "repeat", "require", "check", "error"}
_COLLECTIONS: Final = ("Iterable", "Collection")
CONVERSIONS: Final = frozenset(
    {(one, other) for one in ("List", "Set") for other in _COLLECTIONS}
    | {
        (one, other)
        for one in ("MutableList", "ArrayList", "MutableSet")
        for other in (*_COLLECTIONS, "MutableCollection")
    }
    | {("MutableList", "List"), ("ArrayList", "List"), ("ArrayList", "MutableList")}
    | {("MutableSet", "Set"), ("HashSet", "Set"), ("HashSet", "MutableSet")}
    | {(one, "Map") for one in MAPS}
    | {("String", "CharSequence"), ("String", "Comparable")}
    | {(one, "Number") for one in ("Int", "Long", "Short", "Byte", "Double", "Float")}
)
