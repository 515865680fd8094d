"""External types and functions of Scala through which values of the repository pass."""

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
    "unit": "Unit",
}
NUMBERS: Final = ("Byte", "Short", "Char", "Int", "Long", "Float", "Double")
PLAIN: Final = frozenset({*NUMBERS, "Boolean", "String", "Unit"})
MAPS: Final = frozenset({"Map", "HashMap", "SortedMap", "TreeMap", "ListMap", "LinkedHashMap"})
_LISTS: Final = frozenset(
    "List Seq IndexedSeq Vector Array Stream LazyList Queue ListBuffer ArrayBuffer Buffer".split()  # noqa: SIM905
)
_OTHERS: Final = frozenset(
    """
    Option Some Set HashSet SortedSet Iterable Traversable TraversableOnce IterableOnce Iterator
    Future Try Success Either Left Right
    """.split()  # noqa: SIM905 a list of words reads better
)
CONTAINERS: Final = MAPS | _LISTS | _OTHERS
# what a pattern of a library's class takes apart: the position of the argument that it shows
TAKEN: Final = {"Some": -1, "Right": -1, "Success": -1, "Left": 0}
# methods of containers that give an element
ELEMENT: Final = frozenset(
    """
    get head last apply next getOrElse max min maxBy minBy reduce reduceLeft reduceRight sum product
    dequeue remove orNull
    """.split()  # noqa: SIM905 a list of words reads better
)
# … that may give one
OPTIONAL: Final = frozenset(
    {"headOption", "lastOption", "find", "reduceOption", "toOption", "lift"}
)
# … that give something with the same elements
SAME: Final = frozenset(
    """
    filter filterNot withFilter sorted sortBy sortWith reverse take drop takeWhile dropWhile
    distinct tail init toList toSeq toVector toSet toArray toIndexedSeq toIterable toStream iterator
    slice takeRight dropRight view force par seq orElse ++ :+ +: :: ::: - -- + filterKeys
    updated padTo toBuffer result headers recover
    """.split()  # noqa: SIM905 a list of words reads better
)
KEYS: Final = frozenset({"keys", "keySet", "keysIterator"})
VALUES: Final = frozenset({"values", "valuesIterator"})
PAIRING: Final = frozenset({"partition", "span", "splitAt", "groupBy", "zip", "zipWithIndex"})
MAPPED: Final = frozenset({"map", "collect", "mapValues"})
# functions that give a value of the type that is written
WRITTEN: Final = frozenset({"implicitly", "summon", "the", "asInstanceOf"})
# … that give the elements of both sides
JOINING: Final = frozenset({"++", ":::", "++:"})
FLATTENED: Final = frozenset({"flatMap"})
FOLDING: Final = frozenset({"foldLeft", "fold", "/:", "foldRight", ":\\"})
# … that pass an element to their function, beside those above
_VISITING: Final = frozenset(
    """
    foreach exists forall count partition groupBy span indexWhere collectFirst foreachEntry
    onComplete find maxBy minBy
    """.split()  # noqa: SIM905 a list of words reads better
)
PASSING: Final = SAME | MAPPED | FLATTENED | _VISITING
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
MEMBERS: Final = PASSING | ELEMENT | OPTIONAL | FOLDING | TRUTHS | LENGTHS | TEXTS
CONVERSIONS: Final = frozenset(
    {(one, other) for at, one in enumerate(NUMBERS) for other in NUMBERS[at + 1 :]}
    | {(one, "Seq") for one in _LISTS}
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
