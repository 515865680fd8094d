"""Projects are what manifests say: names, roots, targets and workspaces."""

from __future__ import annotations

import pytest

from code_graph.projects.model import Project, ProjectKind, Target
from tests.code_graph.projects.written import ids, projects_of

PNPM = {
    "package.json": '{"name": "root", "private": true}',
    "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n  - apps/**  # all\ncatalog:\n  - x\n",
    "packages/core/package.json": '{"name": "@my/core"}',
    "packages/ui/package.json": '{"name": "@my/ui", "dependencies": {"@my/core": "workspace:*"}}',
    "apps/web/package.json": '{"name": "web", "dependencies": {"@my/ui": "*", "react": "^19"}}',
    "demo/package.json": '{"name": "demo"}',
    "packages/core/esm/package.json": '{"type": "module"}',
    "packages/core/node_modules/x/package.json": '{"name": "x"}',
}
CARGO = {
    "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n',
    "crates/a/Cargo.toml": '[package]\nname = "my-a"\n[lib]\npath = "lib/a.rs"\n'
    '[[bin]]\nname = "tool"\npath = "cli/main.rs"\n',
    "crates/a/lib/a.rs": "",
    "crates/a/cli/main.rs": "",
    "crates/b/Cargo.toml": '[package]\nname = "b"\n[dependencies]\n'
    'core = { package = "my-a", path = "../a" }\n',
    "crates/b/src/lib.rs": "",
    "crates/b/src/bin/one.rs": "",
    "crates/b/tests/it.rs": "",
    "crates/b/examples/big/main.rs": "",
}
DOTNET = {
    "All.sln": 'Project("{9A19103F-16F7-4668-BE54-9A1E7A4F7556}") = "A", "src\\A\\A.csproj", '
    '"{1}"\n'
    'EndProject\nProject("{2150E333-8FDC-42A3-9474-1A3956D46DE8}") = "docs", "docs", "{2}"\n',
    "src/A/A.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>',
    "src/B/B.csproj": "<Project><PropertyGroup><AssemblyName>My.B</AssemblyName></PropertyGroup>"
    '<ItemGroup><ProjectReference Include="..\\A\\A.csproj" />'
    '<Compile Include="..\\..\\shared\\*.cs" /><Compile Include="..\\One.cs"/>'
    "</ItemGroup></Project>",
    "src/B/b.cs": "",
    "src/One.cs": "",
    "src/Two.cs": "",
    "shared/deep/x.cs": "",
    "other/c.cs": "",
}
MAVEN = {
    "pom.xml": '<?xml version="1.0"?><project xmlns="http://maven.apache.org/POM/4.0.0">'
    "<groupId>org.x</groupId><artifactId>parent</artifactId>"
    "<modules><module>core</module><module>web</module></modules></project>",
    "core/pom.xml": "<project><parent><groupId>org.x</groupId></parent>"
    "<artifactId>core</artifactId><build><sourceDirectory>${project.basedir}/java</sourceDirectory>"
    "</build></project>",
    "core/java/org/x/Core.java": "",
    "web/pom.xml": "<project><parent><groupId>org.x</groupId></parent><artifactId>web</artifactId>"
    "<dependencies><dependency><groupId>${project.groupId}</groupId><artifactId>core</artifactId>"
    "</dependency></dependencies></project>",
    "web/src/main/java/org/x/Web.java": "",
    "web/src/it/kotlin/org/x/It.kt": "",
}
GRADLE = {
    "settings.gradle.kts": 'rootProject.name = "shop"\n// include(":old")\n'
    'include(":core", ":web:api")\ninclude(\n  ":moved"\n)\n'
    'project(":moved").projectDir = file("elsewhere/moved")\n',
    "core/build.gradle": "",
    "core/src/main/java/C.java": "",
    "web/api/build.gradle.kts": 'dependencies { implementation(project(":core")) }\n'
    'sourceSets { main { java.srcDirs("gen") } }',
    "web/api/gen/G.java": "",
    "elsewhere/moved/src/test/kotlin/M.kt": "",
    "build.gradle.kts": "dependencies { implementation(projects.web.api) }",
}
SWIFT = {
    "Package.swift": """// swift-tools-version: 5.9
let package = Package(name: "kit", targets: [
    .target(name: "Core", dependencies: [.product(name: "Logging", package: "swift-log")]),
    /* .target(name: "Old"), */
    .target(name: "Net", dependencies: ["Core", .target(name: "Core", condition: .when())],
            path: "Elsewhere/Net"),
    .testTarget(name: "CoreTests", dependencies: ["Core"]),
    .target(name: "Nowhere"),
    .binaryTarget(name: "Blob", path: "Blob.xcframework"),
])""",
    "Sources/Core/a.swift": "",
    "Elsewhere/Net/b.swift": "",
    "Tests/CoreTests/t.swift": "",
}
GO = {
    "go.work": "go 1.22\nuse (\n\t.\n\t./tools // ours\n)\n",
    "go.mod": 'module "example.com/app"\nrequire (\n\texample.com/app/tools v1.0.0\n)\n',
    "tools/go.mod": "module example.com/app/tools\n",
}


def described(files: dict[str, str]) -> list[tuple[str, str]]:
    return [(one.id, one.root) for one in projects_of(files).all]


def named(files: dict[str, str], project_id: str) -> Project:
    found = projects_of(files).get(project_id)
    assert found is not None
    return found


def test_packages_of_a_pnpm_workspace() -> None:
    assert described(PNPM) == [
        ("root", ""),
        ("web", "apps/web"),
        ("demo", "demo"),
        ("@my/core", "packages/core"),
        ("@my/ui", "packages/ui"),
    ]
    workspaces = {one.id: one.workspace for one in projects_of(PNPM).all}
    assert workspaces["web"] == workspaces["@my/core"] == "pnpm-workspace.yaml"
    assert workspaces["demo"] == ""


@pytest.mark.parametrize("written", ['["packages/*"]', '{"packages": ["./packages/*", "!x"]}'])
def test_workspaces_of_a_package_json(written: str) -> None:
    files = {
        "package.json": f'{{"name": "r", "workspaces": {written}}}',
        "packages/a/package.json": '{"name": "a"}',
        "b/package.json": '{"name": "b"}',
    }
    assert named(files, "a").workspace == "package.json"
    assert named(files, "b").workspace == ""


def test_crates_with_their_targets_and_renamed_dependencies() -> None:
    assert described(CARGO) == [
        (".", ""),
        ("my-a", "crates/a"),
        ("b", "crates/b"),
    ]
    assert named(CARGO, "my-a").targets == (
        Target("my-a", "library", "crates/a/lib", "crates/a/lib/a.rs"),
        Target("tool", "executable", "crates/a/cli", "crates/a/cli/main.rs"),
    )
    assert [(one.name, one.kind) for one in named(CARGO, "b").targets] == [
        ("b", "library"),
        ("one", "executable"),
        ("big", "example"),
        ("it", "test"),
    ]
    assert named(CARGO, "b").workspace == "Cargo.toml"


def test_projects_of_a_solution() -> None:
    assert described(DOTNET) == [(".", ""), ("A", "src/A"), ("My.B", "src/B")]
    assert named(DOTNET, "A").workspace == "All.sln"
    assert named(DOTNET, "My.B").workspace == ""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/B/b.cs", "My.B"),
        ("src/One.cs", "My.B"),
        ("src/Two.cs", "."),
        ("shared/deep/x.cs", "My.B"),
        ("other/c.cs", "."),
    ],
)
def test_a_project_of_dotnet_owns_what_it_compiles(path: str, expected: str) -> None:
    assert projects_of(DOTNET).project_of(path).id == expected


def test_a_slnx_lists_projects() -> None:
    files = {
        "All.slnx": '<Solution><Folder Name="/x/"><Project Path="src/A/A.csproj"/></Folder>'
        "</Solution>",
        "src/A/A.csproj": "<Project/>",
    }
    assert named(files, "A").workspace == "All.slnx"


def test_modules_of_maven() -> None:
    assert described(MAVEN) == [
        ("org.x:parent", ""),
        ("org.x:core", "core"),
        ("org.x:web", "web"),
    ]
    assert named(MAVEN, "org.x:web").workspace == "pom.xml"


def test_subprojects_of_gradle() -> None:
    assert described(GRADLE) == [
        ("shop", ""),
        ("shop:core", "core"),
        ("shop:moved", "elsewhere/moved"),
        ("shop:web:api", "web/api"),
    ]


def test_targets_of_a_swift_package() -> None:
    assert named(SWIFT, "kit").targets == (
        Target("Core", "library", "Sources/Core"),
        Target("Net", "library", "Elsewhere/Net"),
        Target("CoreTests", "test", "Tests/CoreTests"),
    )


def test_modules_of_go() -> None:
    assert described(GO) == [
        ("example.com/app", ""),
        ("example.com/app/tools", "tools"),
    ]
    assert named(GO, "example.com/app/tools").workspace == "go.work"


def test_a_python_project_is_named_by_the_first_manifest_that_has_a_name() -> None:
    files = {
        "a/pyproject.toml": '[build-system]\nrequires = ["setuptools"]\n',
        "a/setup.cfg": "[metadata]\nname = from-cfg\n",
        "a/setup.py": "import setuptools\nsetuptools.setup(name='from-py')\n",
        "b/pyproject.toml": "[tool.ruff]\nline-length = 100\n",
        "c/pyproject.toml": '[project]\nname = "c"\ndependencies = ["From_Cfg >= 1"]\n',
    }
    assert described(files) == [(".", ""), ("from-cfg", "a"), ("c", "c")]


def test_without_a_manifest_there_is_one_project() -> None:
    assert ids({"a/b.py": "", "c.go": ""}) == ["."]
    assert ids({}) == ["."]


def test_of_two_projects_with_one_name_the_one_nearer_to_the_root_has_it_alone() -> None:
    files = {
        "deep/er/package.json": '{"name": "x"}',
        "lib/package.json": '{"name": "x"}',
        "lib/pyproject.toml": '[project]\nname = "x"\n',
    }
    assert ids(files) == [".", "x@deep/er", "x", "x@lib"] or ids(files) == [
        ".",
        "x@deep/er",
        "x",
        "x@lib/package.json",
    ]
    assert len(set(ids(files))) == 4


def test_the_language_decides_between_projects_of_one_folder() -> None:
    files = {
        "package.json": '{"name": "web"}',
        "pyproject.toml": '[project]\nname = "service"\n',
        "docs/package.json": '{"name": "docs"}',
    }
    projects = projects_of(files)
    assert projects.project_of("a/b.py").id == "service"
    assert projects.project_of("a/b.tsx").id == "web"
    assert projects.project_of("docs/conf.py").id == "docs"
    assert projects.project_of("docs2/conf.py").kind is ProjectKind.PYTHON


def test_ids_do_not_depend_on_the_order_of_paths() -> None:
    files = {**PNPM, **{f"z/{path}": text for path, text in CARGO.items()}, **DOTNET}
    turned = dict(reversed(list(files.items())))
    assert projects_of(files).all == projects_of(turned).all
