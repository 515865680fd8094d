"""Module specifiers lead to files as for the TypeScript compiler, and to sources of builds."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from code_graph.languages.ecmascript.imports import EcmaScriptModules
from code_graph.projects.model import ImportOutcome
from code_graph.projects.tree import Probe
from tests.code_graph.projects.written import projects_of


def find(files: Mapping[str, str], specifier: str, path: str) -> str:
    projects = projects_of(files)
    found = EcmaScriptModules(projects).find(specifier, path, Probe(projects.tree))
    return (
        found.path
        if found.outcome is ImportOutcome.FILE
        else f"{found.outcome.name} {found.package}"
    )


def package(name: str, **fields: object) -> str:
    return json.dumps({"name": name, **fields})


def config(**options: object) -> str:
    return json.dumps({"compilerOptions": options})


PLAIN = dict.fromkeys(
    [
        *("a/main.ts", "a/one.ts", "a/two.tsx", "a/three.d.ts", "a/three.js", "a/four.js"),
        *("a/five.mts", "a/six.cjs", "a/data.json", "a/seven.vue", "a/style.css", "a/both.ts"),
        *("a/both/index.ts", "a/folder/index.tsx", "a/dotted.name.ts", "index.ts", "a/eight.js"),
        *("a/eight.ts",),
    ],
    "",
)


@pytest.mark.parametrize(
    ("specifier", "expected"),
    [
        ("./one", "a/one.ts"),
        ("./one.js", "a/one.ts"),
        ("./one.ts", "a/one.ts"),
        ("./two", "a/two.tsx"),
        ("./two.jsx", "a/two.tsx"),
        ("./three", "a/three.d.ts"),
        ("./four", "a/four.js"),
        ("./four.js", "a/four.js"),
        ("./five.mjs", "a/five.mts"),
        ("./six", "a/six.cjs"),
        ("./eight.js", "a/eight.ts"),
        ("./data.json", "a/data.json"),
        ("./data", "a/data.json"),
        ("./seven.vue", "a/seven.vue"),
        ("./style.css?inline", "a/style.css"),
        ("./both", "a/both.ts"),
        ("./both/", "a/both/index.ts"),
        ("./folder", "a/folder/index.tsx"),
        ("./dotted.name", "a/dotted.name.ts"),
        ("..", "index.ts"),
        ("../a/one", "a/one.ts"),
        ("../../x", "MISSING "),
        ("./none", "MISSING "),
        ("./none.css", "MISSING "),
        (".", "MISSING "),
        ("", "MISSING "),
        ("react", "EXTERNAL react"),
        ("react/jsx-runtime", "EXTERNAL react"),
        ("@scope/pkg/deep/x", "EXTERNAL @scope/pkg"),
        ("node:fs/promises", "EXTERNAL node:fs"),
        ("#x", "MISSING "),
    ],
)
def test_specifiers_without_a_manifest(specifier: str, expected: str) -> None:
    assert find(PLAIN, specifier, "a/main.ts") == expected


MAPPED = {
    "tsconfig.base.json": '{ // shared\n "compilerOptions": {"baseUrl": ".", "paths": {\n'
    '"@lib/*": ["libs/*/src/index.ts", "libs/*"], "@lib/core/deep": ["libs/core/deep.ts"], '
    '"*": ["types/*"]}}, }',
    "apps/web/tsconfig.json": '{"extends": "../../tsconfig.base"}',
    "apps/web/a.ts": "",
    "apps/old/jsconfig.json": '{"compilerOptions": {"baseUrl": "src"}}',
    "apps/old/src/util/x.js": "",
    "apps/vite/tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.app.json"}]}',
    "apps/vite/tsconfig.app.json": config(paths={"@/*": ["./src/*"]}),
    "apps/vite/src/components/b.tsx": "",
    "apps/dir/tsconfig.json": config(paths={"~/*": ["${configDir}/code/*"]}),
    "apps/dir/code/c.ts": "",
    "apps/dirs/tsconfig.json": config(rootDirs=["src", "generated"]),
    "apps/dirs/src/d.ts": "",
    "apps/dirs/generated/e.ts": "",
    "libs/core/src/index.ts": "",
    "libs/core/deep.ts": "",
    "libs/two.ts": "",
    "types/global.d.ts": "",
    "plain/p.ts": "",
}


@pytest.mark.parametrize(
    ("specifier", "path", "expected"),
    [
        ("@lib/core", "apps/web/a.ts", "libs/core/src/index.ts"),
        ("@lib/two", "apps/web/a.ts", "libs/two.ts"),
        ("@lib/core/deep", "apps/web/a.ts", "libs/core/deep.ts"),
        ("global", "apps/web/a.ts", "types/global.d.ts"),
        ("libs/two", "apps/web/a.ts", "libs/two.ts"),
        ("@lib/none", "apps/web/a.ts", "EXTERNAL @lib/none"),
        ("@lib/core", "plain/p.ts", "EXTERNAL @lib/core"),
        ("util/x", "apps/old/src/y.js", "apps/old/src/util/x.js"),
        ("@/components/b", "apps/vite/src/main.ts", "apps/vite/src/components/b.tsx"),
        ("~/c", "apps/dir/x/y.ts", "apps/dir/code/c.ts"),
        ("./e", "apps/dirs/src/d.ts", "apps/dirs/generated/e.ts"),
    ],
)
def test_paths_and_base_url(specifier: str, path: str, expected: str) -> None:
    assert find(MAPPED, specifier, path) == expected


WORKSPACE = {
    "package.json": package("root", workspaces=["packages/*"]),
    "packages/core/package.json": package(
        "@my/core",
        exports={
            ".": {"types": "./dist/index.d.ts", "import": "./dist/index.mjs"},
            "./internal": "./dist/esm/internal.js",
            "./features/*": {"default": "./dist/features/*.js"},
            "./features/private/*": None,
            "./package.json": "./package.json",
        },
        imports={
            "#dep": {"node": "./lib/dep-node.js", "default": "./src/dep.ts"},
            "#util/*": "./src/util/*.js",
        },
    ),
    "packages/core/src/index.ts": "",
    "packages/core/src/internal.ts": "",
    "packages/core/src/dep.ts": "",
    "packages/core/src/util/x.ts": "",
    "packages/core/src/features/cool/index.tsx": "",
    "packages/core/src/extra.ts": "",
    "packages/main/package.json": package("main-only", main="build/cjs/entry.js"),
    "packages/main/source/entry.ts": "",
    "packages/main/lib/helper.js": "",
    "packages/sourced/package.json": package(
        "sourced",
        exports={
            ".": {
                "react-server": "./src/server.ts",
                "@my/source": "./src/mod.ts",
                "default": "./dist/m.js",
            }
        },
    ),
    "packages/sourced/src/server.ts": "",
    "packages/sourced/src/mod.ts": "",
    "packages/out/package.json": package("out", types="compiled/x/main.d.ts"),
    "packages/out/tsconfig.json": config(outDir="compiled", rootDir="ts"),
    "packages/out/ts/x/main.ts": "",
    "packages/js/package.json": package("js", main="lib"),
    "packages/js/lib/index.js": "",
    "packages/bare/package.json": package("bare"),
    "packages/bare/index.js": "",
    "packages/none/package.json": package("none", main="dist/none.js"),
    "tools/vite/package.json": package("vite", private=True, scripts={}),
    "tools/vite/src/main.ts": "",
    "examples/react/package.json": package("react", main="index.js"),
    "examples/react/index.js": "",
    "fixtures/deep/package.json": package("@my/core", main="x.js"),
    "fixtures/deep/x.js": "",
    "app/a.ts": "",
}


@pytest.mark.parametrize(
    ("specifier", "expected"),
    [
        ("@my/core", "packages/core/src/index.ts"),
        ("@my/core/internal", "packages/core/src/internal.ts"),
        ("@my/core/features/cool", "packages/core/src/features/cool/index.tsx"),
        ("@my/core/package.json", "packages/core/package.json"),
        ("@my/core/src/extra", "packages/core/src/extra.ts"),
        ("@my/core/extra", "packages/core/src/extra.ts"),
        ("@my/core/none", "MISSING "),
        ("main-only", "packages/main/source/entry.ts"),
        ("main-only/lib/helper", "packages/main/lib/helper.js"),
        ("sourced", "packages/sourced/src/mod.ts"),
        ("out", "packages/out/ts/x/main.ts"),
        ("js", "packages/js/lib/index.js"),
        ("bare", "packages/bare/index.js"),
        ("none", "MISSING "),
        ("vite", "EXTERNAL vite"),
        ("@my/core/../../x", "MISSING "),
    ],
)
def test_packages_of_the_workspace(specifier: str, expected: str) -> None:
    assert find(WORKSPACE, specifier, "app/a.ts") == expected


def test_a_package_refers_to_itself_and_to_its_imports() -> None:
    path = "packages/core/src/features/cool/index.tsx"
    assert find(WORKSPACE, "@my/core/internal", path) == "packages/core/src/internal.ts"
    assert find(WORKSPACE, "#dep", path) == "packages/core/src/dep.ts"
    assert find(WORKSPACE, "#util/x", path) == "packages/core/src/util/x.ts"
    assert find(WORKSPACE, "#none", path) == "MISSING "


def test_a_path_to_a_package_is_none_to_its_exports() -> None:
    exports = {".": {"import": "./wrapper.mjs", "require": "./main.js"}}
    files = {
        "package.json": package("r", main="main.js", exports=exports),
        "inner/package.json": package("inner", exports=exports),
        **dict.fromkeys(["main.js", "wrapper.mjs", "inner/index.js", "inner/wrapper.mjs"], ""),
        "outer/package.json": package("outer", exports="./other.js"),
        "outer/other.js": "",
    }
    assert find(files, "..", "test/a.js") == "main.js"
    assert find(files, "../inner", "test/a.js") == "inner/index.js"
    # no path leads to it, but it may be built
    assert find(files, "../outer", "test/a.js") == "outer/other.js"


def test_configurations_that_extend_each_other_end() -> None:
    files = {
        "tsconfig.json": '{"extends": ["./b.json", "./tsconfig.json"]}',
        "b.json": '{"extends": "./tsconfig.json", "compilerOptions": {"paths": {"x": ["a"]}}}',
        "a.ts": "",
    }
    assert find(files, "x", "a.ts") == "a.ts"


def test_a_configuration_in_a_package_of_the_workspace_is_extended() -> None:
    files = {
        "package.json": package("r", workspaces=["*"]),
        "cfg/package.json": package("@my/cfg"),
        "cfg/base.json": "",
        "cfg/tsconfig.json": config(paths={"x": ["./x"]}),
        "cfg/x.ts": "",
        "app/tsconfig.json": '{"extends": "@my/cfg/tsconfig.json"}',
    }
    assert find(files, "x", "app/a.ts") == "cfg/x.ts"


INSTALLED = {
    "app.ts": "",
    "deps:zed/package.json": package(
        "zed",
        exports={".": {"@zed/source": "./src/a.ts", "import": "./a.js", "types": "./a.d.ts"}},
    ),
    **dict.fromkeys(["deps:zed/src/a.ts", "deps:zed/a.js", "deps:zed/a.d.ts"], ""),
    "deps:old/package.json": package("old"),
    "deps:old/index.js": "",
    "deps:plain/package.json": package("plain", main="dist/a.js"),
    **dict.fromkeys(["deps:plain/dist/a.js", "deps:plain/src/a.ts"], ""),
    "deps:@types+plain/package.json": package("@types/plain", types="index.d.ts"),
    "deps:@types+plain/index.d.ts": "",
    "deps:@types+s__only/package.json": package("@types/s__only", types="a.d.ts"),
    "deps:@types+s__only/a.d.ts": "",
}


@pytest.mark.parametrize(
    ("specifier", "expected"),
    [
        ("zed", "deps:zed/a.d.ts"),
        ("old", "deps:old/index.js"),
        ("plain", "deps:@types+plain/index.d.ts"),
        ("@s/only", "deps:@types+s__only/a.d.ts"),
        ("nothing", "EXTERNAL nothing"),
    ],
)
def test_an_installed_package_has_types_and_no_sources(specifier: str, expected: str) -> None:
    assert find(INSTALLED, specifier, "app.ts") == expected


def test_types_in_a_repository_stand_for_no_package_but_their_own() -> None:
    files = {
        "app.ts": "",
        "types/plain/package.json": package("@types/plain", types="index.d.ts"),
        "types/plain/index.d.ts": "",
    }
    assert find(files, "plain", "app.ts") == "EXTERNAL plain"
    assert find(files, "@types/plain", "app.ts") == "types/plain/index.d.ts"
