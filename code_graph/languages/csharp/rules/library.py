"""External types and methods of C# through which values of the repository pass."""

from __future__ import annotations

from typing import Final

from code_graph.declared.conversions import CONVERTED, MAYBE, NO
from code_graph.declared.effects import LibraryTable

LIBRARY: Final = LibraryTable.of("csharp")
TYPES: Final = LIBRARY.types
PLAIN: Final = TYPES["plain"]
DELEGATES: Final = TYPES["delegates"]
ALONE: Final = TYPES["alone"]
CONVERSIONS: Final = LIBRARY.conversions
# the types between which there are no other conversions
COLLECTIONS: Final = frozenset(name for pair in CONVERSIONS for name in pair)
# functions by the number of their type arguments that are parameters; the last one is the result
FUNC: Final = "Func"
ACTION: Final = "Action"
PREDICATES: Final = frozenset({"Predicate"})
COMPARING: Final = frozenset({"Comparison"})
EVENTS: Final = frozenset({"EventHandler"})
_INTEGERS: Final = ("short", "ushort", "int", "uint", "long", "ulong")
_FRACTIONS: Final = frozenset({"float", "double", "decimal"})
# the numbers that each kind of number becomes by itself
NUMBERS: Final[dict[str, frozenset[str]]] = {
    "byte": _FRACTIONS.union(_INTEGERS),
    "sbyte": _FRACTIONS | {"short", "int", "long"},
    "short": _FRACTIONS | {"int", "long"},
    "ushort": _FRACTIONS | {"int", "uint", "long", "ulong"},
    "char": _FRACTIONS | {"ushort", "int", "uint", "long", "ulong"},
    "int": _FRACTIONS | {"long"},
    "uint": _FRACTIONS | {"long", "ulong"},
    "long": _FRACTIONS,
    "ulong": _FRACTIONS,
    "float": frozenset({"double"}),
    "double": frozenset(),
    "decimal": frozenset(),
}
# the types that a constant becomes by itself
OF_CONSTANTS: Final = frozenset({"byte", "sbyte", *_INTEGERS})
# types that all of a kind derive from
OF_KINDS: Final[dict[str, frozenset[str]]] = {
    "ValueType": frozenset({"struct", "enum"}),
    "Enum": frozenset({"enum"}),
}
_ENDINGS: Final = ("Exception", "Stream", "Attribute", "Expression", "EventArgs")
# external classes with their bases
_BASES: Final[dict[str, tuple[str, ...]]] = {
    "ArgumentNullException": ("ArgumentException", "SystemException"),
    "ArgumentOutOfRangeException": ("ArgumentException", "SystemException"),
    "ObjectDisposedException": ("InvalidOperationException", "SystemException"),
    "TaskCanceledException": ("OperationCanceledException", "SystemException"),
    "FileNotFoundException": ("IOException", "SystemException"),
    "StreamReader": ("TextReader",),
    "StringReader": ("TextReader",),
    "StreamWriter": ("TextWriter",),
    "StringWriter": ("TextWriter",),
    "MethodInfo": ("MethodBase", "MemberInfo"),
    "ConstructorInfo": ("MethodBase", "MemberInfo"),
    "PropertyInfo": ("MemberInfo",),
    "FieldInfo": ("MemberInfo",),
    "EventInfo": ("MemberInfo",),
    "TypeInfo": ("Type", "MemberInfo"),
    "Type": ("MemberInfo",),
    "CultureInfo": ("IFormatProvider",),
    "NumberFormatInfo": ("IFormatProvider",),
    "Task": ("IAsyncResult", "IDisposable"),
    "StringBuilder": (),
    "CancellationToken": (),
    "Assembly": (),
    "Uri": (),
    "Version": (),
    "IPAddress": (),
    "Regex": (),
    "Encoding": (),
    "Random": (),
}


def derives(one: str, other: str) -> int:
    """The conversion of an external class to another, as far as its bases are known."""
    if other in _BASES.get(one, ()):
        return CONVERTED
    if other[:1] == "I" and other[1:2].isupper():
        return MAYBE
    ending, wanted = (
        next((end for end in _ENDINGS if name.endswith(end)), "") for name in (one, other)
    )
    if ending and other == ending:
        return CONVERTED
    if one in _BASES or (other in _BASES and not _BASES[other]) or ending != wanted:
        return NO
    return MAYBE


# members that all objects have, and those of numbers
OF_OBJECTS: Final = frozenset({"ToString", "Equals", "GetHashCode", "GetType"})
OF_NUMBERS: Final = OF_OBJECTS | {"CompareTo", "GetTypeCode", "TryFormat"}
OF_EXCEPTIONS: Final = OF_OBJECTS | {
    *("Message", "InnerException", "StackTrace", "Data", "Source", "HelpLink", "HResult"),
    *("TargetSite", "GetBaseException", "GetObjectData"),
}
OF_TIMES: Final = OF_NUMBERS | {
    *("Days", "Hours", "Minutes", "Seconds", "Milliseconds", "Ticks", "Add", "Subtract"),
    *("TotalDays", "TotalHours", "TotalMinutes", "TotalSeconds", "TotalMilliseconds"),
    *("Duration", "Negate", "Multiply", "Divide"),
}
# all members of some external types
MEMBERS: Final[dict[str, frozenset[str]]] = {
    **dict.fromkeys(NUMBERS, OF_NUMBERS),
    "bool": OF_NUMBERS,
    "Exception": OF_EXCEPTIONS,
    "TimeSpan": OF_TIMES,
    "object": OF_OBJECTS,
}
