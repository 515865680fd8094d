"""Imports of Go, Rust, C and Swift lead to files, folders or projects."""

from __future__ import annotations

import pytest

from code_graph.languages.c.imports import IncludePaths
from code_graph.languages.go.imports import GoPackages
from code_graph.languages.rust.imports import RustModules
from code_graph.languages.swift.imports import SwiftModules
from code_graph.projects.model import ImportOutcome, Resolution
from code_graph.projects.tree import Probe
from tests.code_graph.projects.written import projects_of


def shown(found: Resolution) -> str:
    if found.outcome is ImportOutcome.EXTERNAL:
        return f"EXTERNAL {found.package}"
    place = found.path or found.outcome.name
    return f"{place} | {found.rest}" if found.rest else place


GO = {
    "go.mod": "module example.com/app\nreplace example.com/fork => ./third/fork\n"
    "replace example.com/far => ../far\nreplace example.com/x v1.0.0 => example.com/y v1.2.0\n",
    "main.go": "",
    "util/util.go": "",
    "docs/readme.md": "",
    "tools/go.mod": "module example.com/app/tools\n",
    "tools/gen/gen.go": "",
    "third/fork/sub/f.go": "",
    "vendor/golang.org/x/net/http2/h.go": "",
}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("example.com/app/util", "util"),
        ("example.com/app", "MISSING"),
        ("example.com/app/docs", "MISSING"),
        ("example.com/app/tools/gen", "tools/gen"),
        ("example.com/fork/sub", "third/fork/sub"),
        ("example.com/far", "EXTERNAL example.com/far"),
        ("example.com/x", "EXTERNAL example.com/x"),
        ("golang.org/x/net/http2", "vendor/golang.org/x/net/http2"),
        ("net/http", "EXTERNAL net/http"),
        ("./util", "util"),
        ("", "MISSING"),
    ],
)
def test_packages_of_go(path: str, expected: str) -> None:
    projects = projects_of(GO)
    found = GoPackages(projects).find(path, "main.go", Probe(projects.tree))
    if path == "example.com/app":
        assert found.outcome is ImportOutcome.FOLDER  # the root, whose path is empty
        assert found.path == ""
    else:
        assert shown(found) == expected


@pytest.mark.parametrize("folder", ["./gone", ".."])
def test_a_folder_that_is_not_here_replaces_no_module_of_go(folder: str) -> None:
    """As where the module that a repository replaces by its parent folder is a root of its own."""
    projects = projects_of(
        {
            "exp/go.mod": f"module example.com/lib/exp\nreplace example.com/lib => {folder}\n",
            "exp/main.go": "",
            "lib/go.mod": "module example.com/lib\n",
            "lib/core/core.go": "",
        }
    )
    packages, probe = GoPackages(projects), Probe(projects.tree)
    assert shown(packages.find("example.com/lib/core", "exp/main.go", probe)) == "lib/core"


def test_a_file_of_go_knows_its_package_and_its_neighbours() -> None:
    projects = projects_of(GO)
    packages, probe = GoPackages(projects), Probe(projects.tree)
    assert packages.package_of("util/util.go", probe) == "example.com/app/util"
    assert packages.package_of("tools/gen/gen.go", probe) == "example.com/app/tools/gen"
    assert packages.package_of("main.go", probe) == "example.com/app"
    assert packages.files_of("util", probe) == ["util/util.go"]
    assert packages.files_of("", probe) == ["main.go"]


RUST = {
    "Cargo.toml": "[workspace]\nmembers = ['a', 'b']",
    "a/Cargo.toml": '[package]\nname = "my-a"\n',
    "a/src/lib.rs": "",
    "a/src/net.rs": "",
    "a/src/net/tcp.rs": "",
    "a/src/old/mod.rs": "",
    "a/src/old/inner.rs": "",
    "a/src/odd_place.rs": "",
    "a/src/net/block/deep.rs": "",
    "b/Cargo.toml": '[package]\nname = "b"\n[dependencies]\nrenamed = { package = "my-a" }\n',
    "b/src/main.rs": "",
    "b/src/cli.rs": "",
    "b/tests/it.rs": "",
    "b/tests/common/mod.rs": "",
}


@pytest.mark.parametrize(
    ("name", "path", "expected"),
    [
        ("net", "a/src/lib.rs", "a/src/net.rs"),
        ("old", "a/src/lib.rs", "a/src/old/mod.rs"),
        ("tcp", "a/src/net.rs", "a/src/net/tcp.rs"),
        ("inner", "a/src/old/mod.rs", "a/src/old/inner.rs"),
        ("common", "b/tests/it.rs", "b/tests/common/mod.rs"),
        ("none", "a/src/lib.rs", "MISSING"),
    ],
)
def test_mod_items_of_rust(name: str, path: str, expected: str) -> None:
    projects = projects_of(RUST)
    assert shown(RustModules(projects).module_file(name, path, Probe(projects.tree))) == expected


def test_mod_items_with_a_path_or_in_inline_modules() -> None:
    projects = projects_of(RUST)
    modules, probe = RustModules(projects), Probe(projects.tree)
    found = modules.module_file("x", "a/src/net.rs", probe, path_attribute="odd_place.rs")
    assert found.path == "a/src/odd_place.rs"
    found = modules.module_file("deep", "a/src/net.rs", probe, inline=("block",))
    assert found.path == "a/src/net/block/deep.rs"
    found = modules.module_file("x", "a/src/net.rs", probe, path_attribute="../../../../x.rs")
    assert found.outcome is ImportOutcome.MISSING


@pytest.mark.parametrize(
    ("name", "path", "expected"),
    [
        ("crate::net::tcp::Stream", "a/src/old/inner.rs", "a/src/net/tcp.rs | Stream"),
        ("super::inner::f", "a/src/old/inner.rs", "a/src/old/inner.rs | f"),
        ("super::super::net", "a/src/old/inner.rs", "a/src/net.rs"),
        ("super::net", "a/src/net/tcp.rs", "a/src/net.rs | net"),
        ("self::tcp::x", "a/src/net.rs", "a/src/net/tcp.rs | x"),
        ("my_a::net::tcp", "b/src/main.rs", "a/src/net/tcp.rs"),
        ("renamed::net", "b/src/cli.rs", "a/src/net.rs"),
        ("renamed::net", "a/src/net.rs", "EXTERNAL renamed"),
        ("crate::cli::run", "b/src/main.rs", "b/src/cli.rs | run"),
        ("common::setup", "b/tests/it.rs", "b/tests/common/mod.rs | setup"),
        ("std::io", "b/src/main.rs", "EXTERNAL std"),
        ("super::x", "a/src/lib.rs", "MISSING"),
    ],
)
def test_paths_of_rust(name: str, path: str, expected: str) -> None:
    projects = projects_of(RUST)
    assert shown(RustModules(projects).find(name, path, Probe(projects.tree))) == expected


def test_names_of_modules_of_rust() -> None:
    projects = projects_of(RUST)
    modules, probe = RustModules(projects), Probe(projects.tree)
    names = {path: modules.module_of(path, probe) for path in RUST if path.endswith(".rs")}
    assert names["a/src/lib.rs"] == "my_a"
    assert names["a/src/net/tcp.rs"] == "my_a::net::tcp"
    assert names["a/src/old/mod.rs"] == "my_a::old"
    assert names["b/tests/it.rs"] == "it"


C = dict.fromkeys(
    [
        *("src/a.c", "src/a.h", "include/lib/api.h", "lib/core/core.h", "deep/x/unique/u.h"),
        *("arch/x86/include/asm/io.h", "arch/arm/include/asm/io.h", "arch/x86/kernel/k.c"),
        *("compat/stdio.h", "kernel/sched.c", "v1/dup/d.h", "v2/dup/d.h", "v2/use/y.c"),
    ],
    "",
)


@pytest.mark.parametrize(
    ("include", "path", "expected"),
    [
        ('"a.h"', "src/a.c", "src/a.h"),
        ('"lib/api.h"', "src/a.c", "include/lib/api.h"),
        ("<lib/api.h>", "src/a.c", "include/lib/api.h"),
        ('"lib/core/core.h"', "src/a.c", "lib/core/core.h"),
        ('"../lib/core/core.h"', "src/a.c", "lib/core/core.h"),
        ('"unique/u.h"', "src/a.c", "deep/x/unique/u.h"),
        ("<asm/io.h>", "arch/x86/kernel/k.c", "arch/x86/include/asm/io.h"),
        ("<asm/io.h>", "kernel/sched.c", "EXTERNAL asm/io.h"),
        ("<stdio.h>", "src/a.c", "EXTERNAL stdio.h"),
        ('"dup/d.h"', "src/a.c", "MISSING"),
        ('"dup/d.h"', "v2/use/y.c", "v2/dup/d.h"),
        ('"none.h"', "src/a.c", "MISSING"),
        ('"../../../etc/passwd"', "src/a.c", "MISSING"),
    ],
)
def test_includes_of_c(include: str, path: str, expected: str) -> None:
    projects = projects_of(C)
    found = IncludePaths(projects).find(
        include[1:-1], path, Probe(projects.tree), is_quoted=include[0] == '"'
    )
    assert shown(found) == expected


def test_modules_of_swift() -> None:
    files = {
        "Package.swift": 'let p = Package(name: "p", targets: [.target(name: "My-Kit"), '
        '.testTarget(name: "KitTests", path: "T")])',
        "Sources/My-Kit/a/x.swift": "",
        "T/t.swift": "",
        "App/App.xcodeproj/project.pbxproj": "",
        "App/Shop/Views/v.swift": "",
    }
    projects = projects_of(files)
    modules, probe = SwiftModules(projects), Probe(projects.tree)
    assert shown(modules.find("My_Kit", "T/t.swift", probe)) == "Sources/My-Kit"
    assert shown(modules.find("Foundation", "T/t.swift", probe)) == "EXTERNAL Foundation"
    assert shown(modules.find("Shop", "T/t.swift", probe)) == "App/Shop"
    assert modules.module_of("Sources/My-Kit/a/x.swift", probe) == "My_Kit"
    assert modules.module_of("App/Shop/Views/v.swift", probe) == "Shop"
    assert modules.files_of("Sources/My-Kit", probe) == ("Sources/My-Kit/a/x.swift",)
