"""A member replaces the overload whose parameters are written as its own are."""

from __future__ import annotations

import pytest

from tests.code_graph.languages.native.written import edge_lines

CSHARP = """using Elsewhere;
public class Base
{
    public virtual void Put(int count) { }
    public virtual void Put(int? count) { }
    public virtual void Put(Foo foo, int count) { }
    public virtual void Put(Foo? foo, int? count) { }
}
public class Part : Base
{
    public override void Put(int? number) { }
    public override void Put(Foo foo, int count) { }
}
"""
JAVA = """package a;
import b.Foo;
class Base {
    <T> void put(T item) { }
    void put(Foo item) { }
}
class Part extends Base {
    @Override void put(@Nullable final Foo other) { }
}
"""


@pytest.mark.parametrize(
    ("path", "text", "replaced"),
    [
        ("a.cs", CSHARP, ["Base.Put@a.cs:5", "Base.Put@a.cs:6"]),
        ("a.java", JAVA, ["a.Base.put@a.java:5"]),
    ],
)
def test_the_overload_that_is_written_alike_is_replaced(
    path: str, text: str, replaced: list[str]
) -> None:
    lines = [line for line in edge_lines({path: text}) if " overrides " in line]
    assert [line.split()[2] for line in lines] == replaced
