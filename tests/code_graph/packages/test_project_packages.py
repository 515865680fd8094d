"""The packages that projects declare to need, by each form of manifest."""

from __future__ import annotations

import pytest

from tests.code_graph.packages.written_packages import packages_of, requires

POM = "<project><parent><groupId>g</groupId><artifactId>top</artifactId></parent>"
NEEDS = (
    "<dependency><groupId>${project.groupId}</groupId><artifactId>core</artifactId></dependency>"
)
MANAGED = "<dependency><groupId>g</groupId><artifactId>rest</artifactId></dependency>"

NPM = {
    "package.json": '{"name": "top", "workspaces": ["p/*"]}',
    "p/core/package.json": '{"name": "@x/core", "dependencies": {"react": "1"}}',
    "p/web/package.json": '{"name": "@x/web", "devDependencies": {"@x/core": "workspace:*"}}',
}
NX = {
    "nx.json": "{}",
    "apps/web/project.json": '{"name": "web", "implicitDependencies": ["core", "!ui", "gone"]}',
    "libs/core/project.json": '{"name": "core", "targets": {"build": {}, "test": {}}}',
    "libs/core/package.json": '{"name": "@x/core"}',
}
GRADLE = {
    "settings.gradle.kts": 'rootProject.name = "shop"\ninclude(":app", ":core:data-test")',
    "app/build.gradle.kts": "dependencies { api(projects.core.dataTest) }",
    "core/data-test/build.gradle": "dependencies { implementation project(path: ':app') }",
    "build.gradle": "project(':app') { x { }\n dependencies { api(project(':made')) } }\n"
    "project(':core:data-test') { }",
    "made/build.gradle": "",
}
MAVEN = {
    "pom.xml": "<project><groupId>g</groupId><artifactId>top</artifactId></project>",
    "core/pom.xml": f"{POM}<artifactId>core</artifactId></project>",
    "web/pom.xml": f"{POM}<artifactId>web</artifactId><dependencies>{NEEDS}</dependencies>"
    f"<dependencyManagement><dependencies>{MANAGED}</dependencies></dependencyManagement></project>",
    "rest/pom.xml": f"{POM}<artifactId>rest</artifactId></project>",
}
CARGO = {
    "Cargo.toml": '[workspace]\nmembers = ["a", "b"]\n[workspace.dependencies]\nb = {path = "b"}',
    "a/Cargo.toml": '[package]\nname = "a"\n[dependencies]\nother = {path = "../b", package = "b"}',
    "b/Cargo.toml": '[package]\nname = "b"\n[dev-dependencies]\n'
    'a = {workspace = true}\nserde = "1"',
}
GO = {
    "go.work": "use (\n ./a\n ./b\n)",
    "a/go.mod": "module x.org/a\nrequire (\n x.org/b v1.0.0\n y.org/c v1.0.0\n)",
    "b/go.mod": "module x.org/b",
}
PYTHON = {
    "a/pyproject.toml": '[project]\nname = "shop-a"\ndependencies = ["Shop_B[extra]>=1; x"]',
    "b/pyproject.toml": '[project]\nname = "shop.b"\n[dependency-groups]\ndev = ["shop_c"]',
    "c/setup.cfg": "[metadata]\nname = shop-c\n[options]\ninstall_requires =\n  shop-a==1\n  numpy",
}
DOTNET = {
    "a/A.csproj": '<Project><ItemGroup><ProjectReference Include="..\\b\\B.csproj"/>'
    "</ItemGroup></Project>",
    "b/B.csproj": "<Project></Project>",
}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (NPM, {"@x/web": {"@x/core"}}),
        (NX, {"web": {"@x/core"}}),
        (
            GRADLE,
            {"shop:app": {"shop:core:data-test", "made"}, "shop:core:data-test": {"shop:app"}},
        ),
        (MAVEN, {"g:core": {"g:top"}, "g:web": {"g:top", "g:core"}, "g:rest": {"g:top"}}),
        (CARGO, {"a": {"b"}, "b": {"a"}}),
        (GO, {"x.org/a": {"x.org/b"}}),
        (PYTHON, {"shop-a": {"shop.b"}, "shop.b": {"shop-c"}, "shop-c": {"shop-a"}}),
        (DOTNET, {"A": {"B"}}),
    ],
)
def test_edges_between_packages(files: dict[str, str], expected: dict[str, set[str]]) -> None:
    assert requires(files) == expected


@pytest.mark.parametrize(
    ("files", "package", "outside"),
    [
        (NPM, "@x/core", ("react",)),
        (NX, "web", ("gone",)),
        (CARGO, "b", ("serde",)),
        (GO, "x.org/a", ("y.org/c",)),
        (PYTHON, "shop-c", ("numpy",)),
    ],
)
def test_what_no_package_here_is_stays_outside(
    files: dict[str, str], package: str, outside: tuple[str, ...]
) -> None:
    assert packages_of(files).all[package].outside == outside


def test_nx_adds_names_and_targets_to_the_project_of_its_folder() -> None:
    packages = packages_of(NX)
    scope = packages.scope("core")
    assert scope is not None
    (core,) = scope.packages
    assert (core.id, core.targets) == ("@x/core", ("build", "test"))
    assert packages.all["web"].kind == "nx"


@pytest.mark.parametrize("name", ["shop:core:data-test", ":core:data-test", "core:data-test"])
def test_projects_of_gradle_are_named_as_in_their_build(name: str) -> None:
    scope = packages_of(GRADLE).scope(name)
    assert scope is not None
    assert [package.id for package in scope.packages] == ["shop:core:data-test"]


def test_without_nx_a_project_json_is_no_package() -> None:
    assert not packages_of({"a/project.json": '{"name": "a"}'}).all


@pytest.mark.parametrize("text", ["{", "[]", "{" * 5_000, "null", '{"name": 1, "targets": []}'])
def test_a_broken_project_json_harms_nothing(text: str) -> None:
    packages = packages_of({"nx.json": "", "a/project.json": text, **NPM})
    assert "@x/web" in packages.all
    assert "a" in packages.all


def test_of_several_of_one_name_the_nearest_is_meant() -> None:
    files = {
        "x/lib/package.json": '{"name": "lib"}',
        "y/lib/package.json": '{"name": "lib"}',
        "x/app/package.json": '{"name": "xapp", "dependencies": {"lib": "*"}}',
        "y/app/package.json": '{"name": "yapp", "dependencies": {"lib": "*"}}',
    }
    assert requires(files) == {"xapp": {"lib"}, "yapp": {"lib@y/lib"}}
