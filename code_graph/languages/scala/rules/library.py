"""External types and functions of Scala through which values of the repository pass."""

from __future__ import annotations

from typing import Final

from code_graph.declared.effects import Library

LITERALS: Final = {
    "str": "String",
    "int": "Int",
    "long": "Long",
    "float": "Double",
    "single": "Float",
    "bool": "Boolean",
    "char": "Char",
    "unit": "Unit",
}
NUMBERS: Final = ("Byte", "Short", "Char", "Int", "Long", "Float", "Double")
PLAIN: Final = frozenset({*NUMBERS, "Boolean", "String", "Unit"})
LIBRARY: Final = Library.of("scala")
MAPS: Final = LIBRARY.types["maps"]
CONTAINERS: Final = frozenset().union(*LIBRARY.types.values())
# what a pattern of a library's class takes apart: the position of the argument that it shows
TAKEN: Final = {"Some": -1, "Right": -1, "Success": -1, "Left": 0}
# functions that give a value of the type that is written
WRITTEN: Final = frozenset({"implicitly", "summon", "the", "asInstanceOf"})
# … that give the elements of both sides
JOINING: Final = frozenset({"++", ":::", "++:"})
FOLDING: Final = frozenset({"foldLeft", "fold", "/:", "foldRight", ":\\"})
TRUTHS: Final = frozenset(
    """
    == != < > <= >= && || eq ne equals isEmpty nonEmpty isDefined contains exists forall startsWith
    endsWith isInstanceOf matches
    """.split()  # noqa: SIM905 a list of words reads better
)
LENGTHS: Final = frozenset({"length", "size", "indexOf", "count", "hashCode", "compare", "toInt"})
TEXTS: Final = frozenset(
    """
    toString mkString trim substring stripMargin toLowerCase toUpperCase replace stripPrefix
    stripSuffix replaceAll format getName
    """.split()  # noqa: SIM905 a list of words reads better
)
ARITHMETIC: Final = frozenset({"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>"})
# members that the library's own types have
MEMBERS: Final = LIBRARY.names | TRUTHS | LENGTHS | TEXTS
CONVERSIONS: Final = frozenset(
    {(one, other) for at, one in enumerate(NUMBERS) for other in NUMBERS[at + 1 :]}
    | {(one, "Seq") for one in LIBRARY.types["lists"]}
    | {
        (one, other)
        for one in CONTAINERS
        for other in ("Iterable", "Traversable", "TraversableOnce", "IterableOnce", "Iterator")
    }
    | {("Some", "Option"), ("None", "Option"), ("Nil", "List"), ("Nil", "Seq")}
    | {(one, "Either") for one in ("Left", "Right")}
    | {("String", "CharSequence"), ("String", "Comparable")}
    | {(one, "Map") for one in MAPS}
)
