"""Results of the standard library's calls and members, as far as repository values pass through.

Only what carries values of the repository is listed: containers, iteration, awaiting, functional
tools. Everything else gives an external value, from which no edge leads back.
"""

from __future__ import annotations

import builtins
from typing import Final

NAMES: Final = frozenset(dir(builtins)) | {"reveal_type", "WindowsError", "__file__", "__doc__"}

# bases without members of their own, and the one that every class has last
EMPTY: Final = frozenset(
    {
        "abc.ABC",
        "builtins.object",
        "typing.Generic",
        "typing.Protocol",
        "typing_extensions.Generic",
        "typing_extensions.Protocol",
    }
)
# containers to which values are added after they were made
CONTAINERS: Final = frozenset(
    {
        "builtins.list",
        "builtins.set",
        "builtins.dict",
        "collections.deque",
        "collections.defaultdict",
        "collections.OrderedDict",
    }
)
# calls that give a container of the elements of their first argument
COLLECTING: Final = {
    "builtins.list": "builtins.list",
    "builtins.set": "builtins.set",
    "builtins.frozenset": "builtins.set",
    "builtins.sorted": "builtins.list",
    "builtins.tuple": "builtins.tuple",
    "collections.deque": "collections.deque",
    "builtins.iter": "typing.Iterator",
    "builtins.aiter": "typing.Iterator",
    "builtins.reversed": "typing.Iterator",
    "itertools.chain.from_iterable": "typing.Iterator",
    "itertools.cycle": "typing.Iterator",
    "itertools.islice": "typing.Iterator",
    "heapq.nlargest": "builtins.list",
    "heapq.nsmallest": "builtins.list",
    "random.sample": "builtins.list",
    "random.choices": "builtins.list",
}
# calls that give an element of their first argument
PICKING: Final = frozenset(
    {
        "builtins.next",
        "builtins.anext",
        "builtins.max",
        "builtins.min",
        "random.choice",
        "heapq.heappop",
    }
)
# calls that give their first argument
PASSING: Final = frozenset(
    {
        "copy.copy",
        "copy.deepcopy",
        "functools.partial",
        "functools.partialmethod",
        "weakref.proxy",
        "types.MappingProxyType",
        "asyncio.create_task",
        "asyncio.ensure_future",
        "asyncio.wait_for",
        "asyncio.shield",
        "contextlib.closing",
        "contextlib.aclosing",
        "typing.final",
        "typing.assert_type",
        "builtins.staticmethod",
        "builtins.classmethod",
    }
)
# calls that make a member of a class which runs their first argument when it is read
READING: Final = frozenset({"builtins.property", "functools.cached_property"})
# calls that run their first argument and give its result
RUNNING: Final = frozenset({"asyncio.run", "contextvars.copy_context.run"})
# calls that pass elements of their arguments to a function
CALLING: Final = frozenset(
    {
        "builtins.sorted",
        "builtins.map",
        "builtins.filter",
        "builtins.max",
        "builtins.min",
        "functools.reduce",
        "itertools.groupby",
        "itertools.starmap",
        "itertools.takewhile",
        "itertools.dropwhile",
    }
)
MAPPINGS: Final = frozenset(
    {
        "builtins.dict",
        "collections.OrderedDict",
        "collections.ChainMap",
        "weakref.WeakValueDictionary",
        "typing.Dict",
        "typing.Mapping",
        "typing.MutableMapping",
        "typing.DefaultDict",
        "typing.OrderedDict",
        "collections.abc.Mapping",
        "collections.abc.MutableMapping",
        "collections.defaultdict",
    }
)
# members of mappings that give a value, a container of values, of keys, of both
VALUE_OF_MAPPING: Final = frozenset({"get", "pop", "setdefault"})
# members of containers that give an element; and the container itself
ELEMENT_OF: Final = frozenset(
    {"pop", "popleft", "__next__", "send", "__getitem__", "get", "result"}
)
SAME: Final = frozenset({"copy", "union", "intersection", "difference", "__iter__", "__aiter__"})
