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
    "SByte": "sbyte",
    "UInt16": "ushort",
    "UInt32": "uint",
    "UInt64": "ulong",
}
KEYWORDS: Final = frozenset(
    """
    bool byte char decimal double float int long object sbyte short string uint ulong ushort
    """.split()  # noqa: SIM905 a list of words reads better
)
LITERALS: Final = {"str": "string", "float": "double", "single": "float"}
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
    | {(one, other) for one in MAPS for other in ("IEnumerable", "ICollection")}
    | {("HashSet", "IReadOnlyCollection"), ("IOrderedQueryable", "IQueryable")}
    | {("SortedSet", "ISet"), ("SortedSet", "ICollection"), ("SortedSet", "IEnumerable")}
    | {("Queue", "IReadOnlyCollection"), ("Stack", "IReadOnlyCollection")}
    | {("string", "IEnumerable"), ("string", "ReadOnlySpan"), ("string", "IComparable")}
)
# the types between which there are no other conversions
COLLECTIONS: Final = frozenset(name for pair in CONVERSIONS for name in pair)

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
TOPS: Final = frozenset({"object", "dynamic"})
DELEGATES: Final = frozenset({"Delegate", "MulticastDelegate", "Expression", "LambdaExpression"})
# types that all of a kind derive from
OF_KINDS: Final[dict[str, frozenset[str]]] = {
    "ValueType": frozenset({"struct", "enum"}),
    "Enum": frozenset({"enum"}),
}
# interfaces of numbers and texts
OF_PLAIN: Final = frozenset({"IComparable", "IConvertible", "IEquatable", "IFormattable"})
# interfaces of which the type arguments vary
VARIANT: Final = frozenset(
    {"[]", "IEnumerable", "IEnumerator", "IReadOnlyList", "IReadOnlyCollection", "IGrouping"}
    | {"IQueryable", "IComparer", "IAsyncEnumerable", "IOrderedEnumerable"}
)
# interfaces without bases
ALONE: Final = frozenset(
    {"IDisposable", "IAsyncDisposable", "ICloneable", "IComparable", "IEquatable", "IEnumerator"}
    | {"IFormattable", "IComparer", "IEqualityComparer", "IServiceProvider", "IFormatProvider"}
)
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


def derives(one: str, other: str, no: int, unsure: int, yes: int) -> int:
    """One of three answers: if an external class is known to derive from another or not."""
    if other in _BASES.get(one, ()):
        return yes
    if other[:1] == "I" and other[1:2].isupper():
        return unsure
    ending, wanted = (
        next((end for end in _ENDINGS if name.endswith(end)), "") for name in (one, other)
    )
    if ending and other == ending:
        return yes
    if one in _BASES or (other in _BASES and not _BASES[other]) or ending != wanted:
        return no
    return unsure


# types whose static members are of the type itself; enums among them
OF_THEMSELVES: Final = frozenset(
    """
    CultureInfo TimeSpan DateTime DateTimeOffset Guid CancellationToken Encoding StringComparison
    StringComparer BindingFlags IPAddress NumberStyles DateTimeStyles RegexOptions TypeCode Task
    NumberFormatInfo DateTimeFormatInfo FileMode FileAccess FileShare SeekOrigin ConsoleColor
    TaskCreationOptions TaskContinuationOptions TaskScheduler LazyThreadSafetyMode DayOfWeek
    StringSplitOptions MidpointRounding HttpMethod HttpStatusCode IntPtr DBNull Missing Version
    AttributeTargets MemberTypes EventArgs CommandType DbType SocketType ProtocolType AddressFamily
    Stream ExpressionType JsonValueKind UriKind DateTimeKind OpCodes string int long double decimal
    float byte char short uint ulong ushort sbyte
    """.split()  # noqa: SIM905 a list of words reads better
)
# members of external types by their names alone: the types of what they give
OF_NAMES: Final[dict[str, str]] = {
    name: kind
    for kind, names in {
        "string": """
            ToString Trim TrimStart TrimEnd Substring ToLower ToUpper ToLowerInvariant Message
            ToUpperInvariant PadLeft PadRight FullName StackTrace ReadLine ReadToEnd GetString
            NewLine AssemblyQualifiedName GetFileName GetExtension GetDirectoryName GetFullPath
            ReadAllText MachineName
        """,
        "int": "Length GetHashCode CompareTo IndexOf LastIndexOf Count",
        "bool": """
            Equals StartsWith EndsWith IsNullOrWhiteSpace IsNullOrEmpty ContainsKey Contains
            TryGetValue TryParse MoveNext HasValue ReferenceEquals IsMatch Any All IsAssignableFrom
            IsClass IsEnum IsInterface IsAbstract IsGenericType IsValueType IsPrimitive IsArray
            IsCancellationRequested IsCompleted
        """,
        "Type": "GetType DeclaringType PropertyType FieldType ReturnType ParameterType BaseType",
    }.items()
    for name in names.split()
}
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
