"""The written cases of Python: all edges that they have, and how sure each is."""

from __future__ import annotations

from typing import Final

import pytest

from tests.code_graph.languages.native.written import edge_lines

CASES: Final[dict[str, tuple[dict[str, str], list[str]]]] = {
    "a constructor beside a function that makes the object": (
        {
            "a.py": """class Made:
    def __new__(cls, *given):
        return object.__new__(cls)
    def __init__(self, name):
        pass
class Plain:
    def __init__(self):
        pass
def run():
    Made("x")
    Plain()
"""
        },
        [
            "a.run calls a.Made exact",
            "a.run calls a.Made.__init__ inferred",
            "a.run calls a.Made.__new__ inferred",
            "a.run calls a.Plain exact",
            "a.run calls a.Plain.__init__ exact",
        ],
    ),
    "what one of two modules gives": (
        {
            "a.py": """try:
    from fast import Part, act
except ImportError:
    from slow import Part, act
def run():
    act()
    Part.fit(1)
""",
            "fast.py": "class Part:\n    def fit(self): ...\ndef act(): ...\n",
            "slow.py": "class Part:\n    def fit(self): ...\ndef act(): ...\n",
        },
        [
            "a.py imports fast.Part exact",
            "a.py imports fast.act exact",
            "a.py imports fast.py exact",
            "a.py imports slow.Part exact",
            "a.py imports slow.act exact",
            "a.py imports slow.py exact",
            "a.run calls fast.Part.fit inferred",
            "a.run calls fast.act inferred",
            "a.run calls slow.Part.fit inferred",
            "a.run calls slow.act inferred",
        ],
    ),
    "members of a base, named and replaced": (
        {
            "a.py": """class Top:
    def act(self): ...
class Left(Top):
    pass
class Right(Top):
    def act(self): ...
class Both(Left, Right):
    def act(self):
        return super().act
"""
        },
        [
            "a.Both inherits a.Left exact",
            "a.Both inherits a.Right exact",
            "a.Both.act overrides a.Right.act exact",
            "a.Both.act references a.Right.act exact",
            "a.Left inherits a.Top exact",
            "a.Right inherits a.Top exact",
            "a.Right.act overrides a.Top.act exact",
        ],
    ),
    "what the getter of a property gives for a class that inherits it": (
        {
            "a.py": """class Part:
    def fit(self): ...
class Finer:
    def fit(self): ...
class Machine:
    def make(self):
        return Part()
    def get(self):
        return self.make()
    part = property(get)
class Special(Machine):
    def make(self):
        return Finer()
def run():
    Special().part.fit()
"""
        },
        [
            "a.Machine calls a.Machine.get dispatch",
            "a.Machine references a.Machine.get exact",
            "a.Machine.get calls a.Machine.make exact",
            "a.Machine.make calls a.Part exact",
            "a.Special inherits a.Machine exact",
            "a.Special.make calls a.Finer exact",
            "a.Special.make overrides a.Machine.make exact",
            "a.run calls a.Finer.fit inferred",
            "a.run calls a.Special exact",
        ],
    ),
    "what is given to the constructor of a class in a class": (
        {
            "a.py": """class Part:
    def fit(self): ...
class Outer:
    class Inner:
        def __init__(self, part):
            part.fit()
def run():
    Outer.Inner(Part())
"""
        },
        [
            "a.Outer.Inner.__init__ calls a.Part.fit inferred",
            "a.run calls a.Outer.Inner exact",
            "a.run calls a.Outer.Inner.__init__ exact",
            "a.run calls a.Part exact",
        ],
    ),
    "parameters of a function that a declared type gives": (
        {
            "a.py": """from typing import Callable
class Part:
    def fit(self): ...
class Other:
    def turn(self): ...
def each(take: Callable[[Part, Other], None]):
    pass
def run():
    each(lambda part, other: part.fit() or other.turn())
"""
        },
        [
            "a.each accepts a.Other exact",
            "a.each accepts a.Part exact",
            "a.run calls a.Other.turn inferred",
            "a.run calls a.Part.fit inferred",
            "a.run calls a.each exact",
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_written_cases_have_these_edges_and_no_others(name: str) -> None:
    sources, expected = CASES[name]
    assert edge_lines(sources) == expected
