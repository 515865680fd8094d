"""Usings that project files give to all files of a project."""

from __future__ import annotations

import pytest

from code_graph import SourceTree
from code_graph.model import EdgeType
from tests.code_graph.sources import calls, edges, link

SOURCES = {
    "App/Use.cs": "class User { void Use(Box box) { box.More(); } }",
    "Lib/Box.cs": "public class Box { }",
    "Lib/More.cs": (
        "namespace System.Linq { public static class X { public static void More(this Box b) {} } }"
    ),
}
IMPLICIT = (
    "<Project><PropertyGroup><ImplicitUsings> enable </ImplicitUsings></PropertyGroup></Project>"
)


@pytest.mark.parametrize(
    ("manifests", "is_seen"),
    [
        ({"App/App.csproj": IMPLICIT}, True),
        ({"App/App.csproj": "<Project/>"}, False),
        ({"Lib/Lib.csproj": IMPLICIT, "App/App.csproj": "<Project/>"}, False),
        ({"Directory.Build.props": IMPLICIT, "App/App.csproj": "<Project/>"}, True),
        (
            {
                "Directory.Build.props": IMPLICIT,
                "App/App.csproj": IMPLICIT.replace("enable", "disable"),
            },
            False,
        ),
        ({"App/App.csproj": '<Project><Using Include="System.Linq" /></Project>'}, True),
    ],
)
def test_the_usings_of_an_sdk_are_those_of_projects_that_ask_for_them(
    manifests: dict[str, str], *, is_seen: bool
) -> None:
    found = calls({**SOURCES, **manifests})
    assert ("User.Use calls System.Linq.X.More" in found) == is_seen


def test_global_usings_reach_the_files_of_their_project_alone() -> None:
    sources = {
        "A/A.csproj": "<Project/>",
        "A/Deep/Usings.cs": "global using Kit;",
        "A/Use.cs": "class InA { void F() { new Tool().G(); } }",
        "A/Inner/B.csproj": "<Project/>",
        "A/Inner/Use.cs": "class InB { void F() { new Tool().G(); } }",
        "Kit/Tool.cs": "namespace Kit { public class Tool { public void G() { } } }",
    }
    found = calls(sources)
    assert "InA.F calls Kit.Tool.G" in found
    assert "InB.F calls Kit.Tool.G" not in found


def test_a_using_leads_to_a_namespace_inside_another() -> None:
    tree = SourceTree(
        {
            "One.cs": "namespace Outer {\n  namespace Inner { public class Cat { } }\n}\n",
            "Two.cs": "using Outer.Inner;\nclass User { Cat cat; }",
        }
    )
    assert edges(link(tree), EdgeType.IMPORTS) == {"Two.cs imports Outer.Inner import"}
