"""Packages of .NET: their documentation files are what can be asked of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from repo_mcp.dependencies import find_packages
from tests.repo_mcp.dependencies.test_answers import served
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.workspace.workspaces import call, text_of

DOCUMENTED = """<?xml version="1.0"?>
<doc>
    <assembly><name>Acme.Json</name></assembly>
    <members>
        <member name="T:Acme.Json.Convert">
            <summary>Turns objects into <see cref="T:System.String"/> and back.</summary>
        </member>
        <member name="M:Acme.Json.Convert.Write(System.Object,Acme.Json.Style)">
            <summary>
            Writes an object as a distant text.
            </summary>
            <param name="value">The object.</param>
            <param name="style">How.</param>
        </member>
        <member name="M:Acme.Json.Convert.Write(System.Object)">
            <summary>Writes it plainly.</summary>
            <param name="value">The object.</param>
        </member>
        <member name="M:Acme.Json.Convert.Read``1(System.String)"><summary>Reads.</summary></member>
        <member name="T:Acme.Json.Style"><summary>A style.</summary></member>
        <member name="F:Acme.Json.Style.Wide"><summary>Wide.</summary></member>
    </members>
</doc>
"""
CODE = (
    "using Acme.Json;\n\nnamespace App;\n\npublic class Program {\n"
    "    public static string Show(object o) {\n        return Convert.Write(o);\n    }\n\n"
    "    public static string Wide(object o) {\n"
    '        return Convert.Write(o, Style.Wide) + Convert.Read<string>("");\n    }\n}\n'
)
PROJECT = (
    "<Project><ItemGroup>"
    '<PackageReference Include="Acme.Json" Version="2.1.0" /></ItemGroup></Project>'
)
RESTORED = {
    "targets": {
        "net8.0": {
            "Acme.Json/2.1.0": {
                "type": "package",
                "dependencies": {"Acme.Base": "1.0.0"},
                "compile": {"lib/net6.0/Acme.Json.dll": {"related": ".xml"}},
            },
            "Acme.Base/1.0.0": {"type": "package", "compile": {"lib/net6.0/_._": {}}},
            "Lib/1.0.0": {"type": "project"},
        }
    },
    "packageFolders": {"/": {}},
    "project": {"frameworks": {"net8.0": {"dependencies": {"Acme.Json": {"version": "[2, )"}}}}},
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, and a package of two versions in the user's folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("NUGET_PACKAGES", str(tmp_path / "nuget"))
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    nuget = tmp_path / "nuget/acme.json"
    for framework in ("net45", "net6.0", "netstandard2.0"):
        write(nuget, {f"2.1.0/lib/{framework}/Acme.Json.xml": DOCUMENTED})
        write(nuget, {f"2.1.0/lib/{framework}/Acme.Json.dll": "binary"})
    write(nuget, {"1.0.0/lib/net45/Acme.Json.xml": DOCUMENTED.replace("distant", "older")})
    write(tmp_path / "app", {"App.csproj": PROJECT, "Program.cs": CODE})
    return tmp_path / "app"


def found_in(root: Path) -> list[tuple[str, str, tuple[str, ...], bool]]:
    paths = [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]
    return [
        (item.name, item.version, item.entries, item.is_direct)
        for item in find_packages(str(root), paths).all
    ]


def test_a_restore_says_the_version_and_the_assemblies(root: Path) -> None:
    write(root, {"obj/project.assets.json": json.dumps(RESTORED)})
    assert found_in(root) == [("Acme.Json", "2.1.0", ("lib/net6.0/Acme.Json.xml",), True)]


@pytest.mark.parametrize(
    ("files", "version", "framework"),
    [
        ({}, "2.1.0", "net6.0"),
        (
            {
                "packages.lock.json": '{"dependencies": {"net8.0": {"Acme.Json": '
                '{"type": "Direct", "resolved": "1.0.0"}}}}'
            },
            "1.0.0",
            "net45",
        ),
        (
            {
                "App.csproj": '<Project><PackageReference Include="Acme.Json" /></Project>',
                "Directory.Packages.props": "<Project><ItemGroup>"
                '<PackageVersion Include="acme.json" Version="1.0.0" /></ItemGroup></Project>',
            },
            "1.0.0",
            "net45",
        ),
        ({"obj/project.assets.json": "{broken"}, "2.1.0", "net6.0"),
    ],
    ids=["reference", "lock", "central", "broken"],
)
def test_without_a_restore_other_files_say_it(
    root: Path, files: dict[str, str | bytes], version: str, framework: str
) -> None:
    write(root, files)
    name = f"lib/{framework}/Acme.Json.xml"
    assert found_in(root) == [("Acme.Json", version, (name,), True)]


@pytest.mark.parametrize(
    "version", ["../../../app", "2.1.0/../1.0.0", "$(Version)", "", "9.9.9", "a" * 900]
)
def test_a_project_can_not_lead_elsewhere(root: Path, version: str) -> None:
    write(root, {"App.csproj": PROJECT.replace("2.1.0", version)})
    assert found_in(root) == []


def test_symbols_are_entries_of_documentation_files(root: Path) -> None:
    with served(root) as app:
        found = text_of(app, "repo.symbol", name="Acme.Json.Convert.Read")
        assert "Acme.Json.Convert.Read: method, deps:Acme.Json/lib/net6.0/Acme.Json.xml:19" in found
        assert "Program.cs" in found
        both = text_of(app, "repo.symbol", name="Acme.Json.Convert")
        assert '<member name="T:Acme.Json.Convert">' in both
        listed = text_of(app, "repo.search", query="Convert.Write in:deps")
        assert "deps:Acme.Json" in listed


def test_calls_lead_to_the_entry_of_the_overload(root: Path) -> None:
    with served(root) as app:
        show = text_of(app, "repo.symbol", name="Program.Show")
        assert "Convert.Write (deps:Acme.Json/lib/net6.0/Acme.Json.xml:15)" in show
        wide = text_of(app, "repo.symbol", name="Program.Wide")
        assert "Convert.Write (deps:Acme.Json/lib/net6.0/Acme.Json.xml:8)" in wide
        assert "Convert.Read (deps:Acme.Json/lib/net6.0/Acme.Json.xml:19)" in wide


def test_documentation_is_searched_read_and_outlined(root: Path) -> None:
    with served(root) as app:
        assert "Acme.Json.xml" in text_of(app, "repo.search", query="distant text in:deps")
        outline = text_of(app, "repo.outline", path="deps:Acme.Json/lib/net6.0/Acme.Json.xml")
        assert "Write(System.Object value, Acme.Json.Style style)" in outline
        path = "deps:Acme.Json/lib/net6.0/Acme.Json.xml"
        assert "distant" in text_of(app, "repo.open_file", path=path)
        assert call(app, "repo.open_file", path="deps:Acme.Json/lib/net6.0/Acme.Json.dll")[
            "isError"
        ]


def test_xml_files_of_a_repository_are_no_documentation(root: Path) -> None:
    write(root, {"docs/Own.xml": DOCUMENTED.replace("Acme.Json.Convert", "Own.Thing")})
    with served(root) as app:
        assert call(app, "repo.symbol", name="Own.Thing")["isError"]
