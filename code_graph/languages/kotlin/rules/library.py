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
