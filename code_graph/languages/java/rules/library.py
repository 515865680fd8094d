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
# the static methods that an enum has without declaring them
ENUM: Final = "Enum"
OF_ENUMS: Final = frozenset({"valueOf", "values"})
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
