"""Packages are found as package managers install them, and nothing that a repository links to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from repo_mcp.dependencies import InstalledPackage, Packages, find_packages
from repo_mcp.dependencies.scope import MOST_SEARCHED, place_in_packages
from tests.repo_mcp.dependencies.installed import SITE, archive, distribution
from tests.repo_mcp.tree_files import write


def found_in(root: Path, *manifests: str, **variables: str) -> Mapping[str, InstalledPackage]:
    """The packages of a repository by the folders of their paths."""
    return find_packages(str(root), manifests, {"HOME": str(root / "home"), **variables}).by_mount


def test_distributions_of_an_environment(tmp_path: Path) -> None:
    site = tmp_path / SITE
    distribution(
        site, "Re-quests", "2.1", {"requests/__init__.py": "", "requests/api.py": ""}, ["urllib3"]
    )
    distribution(site, "urllib3", "1.0", {"urllib3/__init__.py": "", "../../bin/u": ""})
    distribution(site, "six", "1.16", {"six.py": "", "__pycache__/six.pyc": ""}, requested=True)
    found = found_in(tmp_path)
    assert {
        mount: (item.version, item.entries, item.is_direct) for mount, item in found.items()
    } == {
        "deps:re-quests": ("2.1", ("requests",), True),
        "deps:six": ("1.16", ("six.py",), True),
        "deps:urllib3": ("1.0", ("urllib3",), False),
    }
    packages = Packages(found.values())
    assert packages.of_import("requests.api.get") == ["deps:re-quests"]
    assert packages.of_import("six.moves") == ["deps:six"]
    assert packages.of_import("requestsx") == []
    assert packages.needed_by(["deps:re-quests"]) == ["deps:urllib3"]
    assert packages.find("Re_Quests") == packages.find("requests") == ["deps:re-quests"]


def test_a_namespace_that_distributions_share_is_not_of_one_alone(tmp_path: Path) -> None:
    site = tmp_path / SITE
    distribution(site, "g-storage", "1", {"g/storage/__init__.py": "", "g/storage/blob.py": ""})
    distribution(site, "g-auth", "1", {"g/auth/__init__.py": ""})
    found = found_in(tmp_path)
    assert found["deps:g-storage"].entries == ("g/storage",)
    assert Packages(found.values()).of_import("g.auth.default") == ["deps:g-auth"]


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT"])
def test_an_environment_elsewhere_is_the_users_to_name(tmp_path: Path, variable: str) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    write(root, {"pyproject.toml": ""})
    distribution(other / "lib/python3.12/site-packages", "six", "1", {"six.py": ""})
    assert [*found_in(root, "pyproject.toml", **{variable: str(other)})] == ["deps:six"]
    # a repository of another language has nothing to do with it
    assert not found_in(root, "go.mod", **{variable: str(other)})


def test_links_out_of_the_repository_lead_to_no_package(tmp_path: Path) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    distribution(other / SITE, "six", "1", {"six.py": ""})
    write(other / "node_modules/left", {"package.json": json.dumps({"name": "left"})})
    root.mkdir()
    (root / ".venv").symlink_to(other / ".venv")
    (root / "node_modules").symlink_to(other / "node_modules")
    assert not found_in(root, "pyproject.toml", "package.json")


@pytest.mark.parametrize("link", ["lib", "lib/python3.12", "lib/python3.12/site-packages"])
@pytest.mark.parametrize("variable", ["", "VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT"])
def test_a_link_in_an_environment_of_the_repository_leads_to_none_elsewhere(
    tmp_path: Path, link: str, variable: str
) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    distribution(other / SITE, "six", "1", {"six.py": ""})
    write(root, {"pyproject.toml": ""})
    place = root / ".venv" / link
    place.parent.mkdir(parents=True)
    place.symlink_to(other / ".venv" / link)
    variables = {variable: str(root / ".venv")} if variable else {}
    assert not found_in(root, "pyproject.toml", **variables)
    (root / "way").symlink_to(root, target_is_directory=True)
    assert not found_in(root / "way", "pyproject.toml", **variables)


def test_a_link_to_an_environment_that_a_variable_names_in_the_repository_is_not_followed(
    tmp_path: Path,
) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    distribution(other / SITE, "six", "1", {"six.py": ""})
    write(root, {"pyproject.toml": ""})
    (root / ".venv").symlink_to(other / ".venv")
    for variable in ("VIRTUAL_ENV", "UV_PROJECT_ENVIRONMENT", "CONDA_PREFIX"):
        assert not found_in(root, "pyproject.toml", **{variable: str(root / ".venv")})


@pytest.mark.parametrize("folder", [".aws", ".git", ".env"])
def test_a_denied_folder_is_no_place_of_packages(tmp_path: Path, folder: str) -> None:
    distribution(tmp_path / folder, "six", "1", {"six.py": ""})
    write(tmp_path / folder / "left", {"package.json": json.dumps({"name": "left"})})
    site = tmp_path / SITE
    site.parent.mkdir(parents=True)
    site.symlink_to(tmp_path / folder)
    (tmp_path / "node_modules").symlink_to(tmp_path / folder)
    assert not found_in(tmp_path, "pyproject.toml", "package.json")


def test_packages_of_node_with_scopes_versions_and_links(tmp_path: Path) -> None:
    def manifest(name: str, version: str, **more: object) -> str:
        return json.dumps({"name": name, "version": version, **more})

    write(
        tmp_path,
        {
            "package.json": json.dumps({"dependencies": {"a": "1", "@s/b": "1"}}),
            "own/package.json": manifest("own", "1"),
            "node_modules/a/package.json": manifest("a", "1.0.0", dependencies={"c": "1"}),
            "node_modules/@s/b/package.json": manifest("@s/b", "1.0.0"),
            "node_modules/c/package.json": manifest("c", "1.0.0"),
            "node_modules/a/node_modules/c/package.json": manifest("c", "2.0.0"),
            "node_modules/.bin/tool": "",
            "node_modules/.pnpm/d@3/node_modules/d/package.json": manifest("d", "3.0.0"),
            "node_modules/@types/s__b/package.json": manifest("@types/s__b", "1.0.0"),
        },
    )
    (tmp_path / "node_modules/own").symlink_to(tmp_path / "own")
    (tmp_path / "node_modules/d").symlink_to(tmp_path / "node_modules/.pnpm/d@3/node_modules/d")
    found = found_in(tmp_path, "package.json")
    assert {mount: item.is_direct for mount, item in found.items()} == {
        "deps:@s+b": True,
        "deps:a": True,
        "deps:@types+s__b": False,
        "deps:c": False,
        "deps:c@2.0.0": False,
        "deps:d": False,
    }
    packages = Packages(found.values())
    assert packages.of_import("@s/b/inner.Thing", "npm") == ["deps:@s+b", "deps:@types+s__b"]
    assert packages.of_import("c.run", "npm") == ["deps:c"]
    assert packages.find("@s/b") == ["deps:@s+b"]
    # of two versions, the one beside the package that needs it
    assert packages.needed_by(["deps:a"]) == ["deps:c@2.0.0"]


def test_the_version_nearest_to_the_root_has_the_plain_name(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "package.json": "{}",
            "node_modules/a/package.json": '{"name": "a", "version": "1.0.0"}',
            "node_modules/a/node_modules/c/package.json": '{"name": "c", "version": "1.0.0"}',
            "node_modules/c/package.json": '{"name": "c", "version": "2.0.0"}',
        },
    )
    found = found_in(tmp_path, "package.json")
    assert found["deps:c"].version == "2.0.0"
    assert found["deps:c@1.0.0"].version == "1.0.0"


def test_what_a_package_needs_is_of_its_own_kind(tmp_path: Path) -> None:
    distribution(tmp_path / SITE, "one", "1.0", {"one.py": ""}, ["other"])
    distribution(tmp_path / SITE, "other", "1.0", {"other.py": ""})
    record = '{"name": "other", "version": "3.0.0"}'
    write(tmp_path, {"package.json": "{}", "node_modules/other/package.json": record})
    packages = Packages(found_in(tmp_path, "pyproject.toml", "package.json").values())
    assert len(packages.find("other")) == 2
    needed = packages.needed_by(packages.find("one"))
    assert [packages.by_mount[mount].ecosystem for mount in needed] == ["python"]


def test_what_each_package_needs_comes_in_turn(tmp_path: Path) -> None:
    needs = {
        "many": ["one", "two", "three"],
        "few": ["four"],
        "typed": ["five"],
        "@types/typed": ["six", "four"],
    }
    others = dict.fromkeys(["one", "two", "three", "four", "five", "six"], ())
    files: dict[str, str | bytes] = {
        "package.json": json.dumps({"dependencies": dict.fromkeys(needs, "1")})
    }
    for name, required in {**others, **needs}.items():
        record = {"name": name, "version": "1.0.0", "dependencies": dict.fromkeys(required, "1")}
        files[f"node_modules/{name}/package.json"] = json.dumps(record)
    write(tmp_path, files)
    packages = Packages(found_in(tmp_path, "package.json").values())
    asked = ["deps:many", "deps:few", "deps:typed", "deps:@types+typed"]
    # the code of a package is not opened whose types another one declares
    names = [mount.removeprefix("deps:") for mount in packages.needed_by(asked)]
    assert names == ["one", "four", "six", "two", "three"]


def test_modules_of_go(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    write(
        cache,
        {
            "github.com/!burnt!sushi/toml@v1.2.0/go.mod": "module github.com/BurntSushi/toml\n",
            "example.com/fork@v0.1.0/go.mod": "module example.com/old\nrequire x.org/y v1\n",
        },
    )
    text = (
        "module example.com/a\nrequire (\n\tgithub.com/BurntSushi/toml v1.2.0\n"
        "\texample.com/old v1.0.0 // indirect\n\texample.com/gone v1.0.0\n)\n"
        "replace example.com/old => example.com/fork v0.1.0\n"
    )
    write(tmp_path / "root", {"go.mod": text})
    found = found_in(tmp_path / "root", "go.mod", GOMODCACHE=str(cache))
    assert {mount: (item.version, item.is_direct) for mount, item in found.items()} == {
        "deps:github.com+BurntSushi+toml": ("v1.2.0", True),
        "deps:example.com+old": ("v0.1.0", False),
    }
    packages = Packages(found.values())
    assert packages.of_import("github.com/BurntSushi/toml.Decode", "go") == [
        "deps:github.com+BurntSushi+toml"
    ]
    assert packages.find("toml") == ["deps:github.com+BurntSushi+toml"]


@pytest.mark.parametrize(("language", "version"), [("1.12", "v1.2.0"), ("1.17", "v1.1.0")])
def test_modules_that_modules_of_go_need(tmp_path: Path, language: str, version: str) -> None:
    cache = tmp_path / "cache"
    write(
        cache,
        {
            "x.org/a@v1.0.0/go.mod": "module x.org/a\nrequire (\n x.org/b v1.2.0\n x.org/c v1\n)\n",
            "x.org/b@v1.1.0/b.go": "package b\n",
            "x.org/b@v1.2.0-rc1/b.go": "package b\n",
            "x.org/b@v1.2.0/go.mod": "module x.org/b\nrequire x.org/b v1.2.0-rc1\n",
            "x.org/c@v1/c.go": "package c\n",
        },
    )
    text = f"module m\ngo {language}\nrequire (\n x.org/a v1.0.0\n x.org/b v1.1.0\n)\n"
    write(tmp_path / "root", {"go.mod": text})
    found = found_in(tmp_path / "root", "go.mod", GOMODCACHE=str(cache))
    assert {item.name: (item.version, item.is_direct) for item in found.values()} == {
        "x.org/a": ("v1.0.0", True),
        "x.org/b": (version, True),
        "x.org/c": ("v1", False),
    }


def test_what_packages_need_is_of_the_version_for_the_file(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    versions = ("v1.0.0", "v2.0.0")
    write(cache, {f"x.org/b@{version}/b.go": "package b\n" for version in versions})
    write(cache, {"x.org/a@v1/go.mod": "module x.org/a\nrequire x.org/b v1.0.0\n"})
    for folder, version in zip(("", "inner"), versions, strict=True):
        text = f"module m\ngo 1.17\nrequire (\n x.org/a v1\n x.org/b {version}\n)\n"
        write(tmp_path / "root" / folder, {"go.mod": text})
    manifests = ("go.mod", "inner/go.mod")
    found = found_in(tmp_path / "root", *manifests, GOMODCACHE=str(cache))
    packages = Packages(found.values())
    (mount,) = packages.find("x.org/a")
    assert packages.needed_by([mount], "main.go") == ["deps:x.org+b"]
    assert len(packages.needed_by([mount], "inner/main.go")) == 2
    (nearest,) = packages.of_import("x.org/b.Run", "go", "inner/main.go")
    assert packages.by_mount[nearest].version == "v2.0.0"


def test_crates_of_a_lock_file(tmp_path: Path) -> None:
    home = tmp_path / "cargo"
    write(
        home,
        {
            "registry/src/index-1/serde-json-1.0.1/Cargo.toml": "",
            "git/checkouts/fork-0a1b/0123456/Cargo.toml": '[package]\nname = "fork"\n',
        },
    )
    lock = (
        '[[package]]\nname = "own"\nversion = "0.1.0"\ndependencies = ["serde-json", "fork"]\n'
        '[[package]]\nname = "serde-json"\nversion = "1.0.1"\nsource = "registry+x"\n'
        '[[package]]\nname = "gone"\nversion = "1.0.0"\nsource = "registry+x"\n'
        '[[package]]\nname = "fork"\nversion = "0.2.0"\nsource = "git+https://x/fork.git#01234567"\n'
    )
    write(tmp_path / "root", {"Cargo.toml": "", "Cargo.lock": lock})
    found = found_in(tmp_path / "root", "Cargo.toml", CARGO_HOME=str(home))
    assert [*found] == ["deps:fork", "deps:serde-json"]
    assert Packages(found.values()).of_import("serde_json::to_string", "cargo") == [
        "deps:serde-json"
    ]


@pytest.mark.parametrize("is_gradle", [False, True])
def test_archives_of_sources_of_java(tmp_path: Path, *, is_gradle: bool) -> None:
    maven, gradle = tmp_path / "m2", tmp_path / "gradle"
    code = {"com/acme/tools/Json.java": "package com.acme.tools;\n"}
    if is_gradle:
        top = gradle / "caches/modules-2/files-2.1/com.acme/tools/2.1"
        archive(top / "0a/tools-2.1-sources.jar", code)
        manifest: dict[str, str | bytes] = {
            "build.gradle.kts": 'dependencies { implementation("com.acme:tools:2.1") }\n'
        }
    else:
        archive(maven / "com/acme/tools/2.1/tools-2.1-sources.jar", code)
        manifest = {
            "pom.xml": "<project><properties><v>2.1</v></properties><dependencies><dependency>"
            "<groupId>com.acme</groupId><artifactId>tools</artifactId><version>${v}</version>"
            "</dependency></dependencies></project>"
        }
    write(tmp_path / "root", manifest)
    variables = {"MAVEN_REPO_LOCAL": str(maven), "GRADLE_USER_HOME": str(gradle)}
    found = found_in(tmp_path / "root", *manifest, **variables)
    assert {mount: item.label for mount, item in found.items()} == {
        "deps:tools": "com.acme:tools 2.1"
    }
    packages = Packages(found.values())
    assert packages.of_import("com.acme.tools.Json.write", "maven") == ["deps:tools"]
    assert packages.find("com.acme:tools") == packages.find("tools") == ["deps:tools"]


def test_a_version_of_a_library_that_a_manifest_above_manages(tmp_path: Path) -> None:
    code = {"com/acme/Json.java": "package com.acme;\n"}
    for version in ("1.0", "2.0"):
        folder = tmp_path / "m2/com/acme/tools" / version
        archive(folder / f"tools-{version}-sources.jar", code)
    library = "<dependency><groupId>com.acme</groupId><artifactId>tools</artifactId>"
    managed = f"{library}<version>1.0</version></dependency>"
    manifests: dict[str, str | bytes] = {
        "pom.xml": "<project><dependencyManagement><dependencies>"
        f"{managed}</dependencies></dependencyManagement></project>",
        "app/pom.xml": f"<project><dependencies>{library}</dependency></dependencies></project>",
    }
    write(tmp_path / "root", manifests)
    variables = {"MAVEN_REPO_LOCAL": str(tmp_path / "m2"), "GRADLE_USER_HOME": str(tmp_path / "g")}
    found = found_in(tmp_path / "root", *manifests, **variables)
    assert [item.version for item in found.values()] == ["1.0"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"name": 7, "dependencies": [1]}', "\x00"])
def test_a_manifest_that_is_no_manifest_costs_nothing_else(tmp_path: Path, text: str) -> None:
    write(
        tmp_path,
        {
            "package.json": text,
            "go.mod": text,
            "Cargo.lock": text,
            "pom.xml": text,
            "node_modules/bad/package.json": text,
            "node_modules/good/package.json": '{"name": "good"}',
        },
    )
    found = found_in(tmp_path, "package.json", "go.mod", "Cargo.lock", "pom.xml")
    assert "deps:good" in found


def test_of_very_many_packages_those_that_are_not_searched_are_counted() -> None:
    packages = Packages(
        InstalledPackage("npm", f"p{number}", "1.0.0", f"/modules/p{number}", (), (f"p{number}",))
        for number in range(MOST_SEARCHED + 3)
    )
    question = place_in_packages({"query": "words in:deps"}, packages)
    assert question is not None
    assert question.arguments == {"query": "words"}
    assert len(question.place.packages) == MOST_SEARCHED
    (warning,) = question.warnings
    assert f"first {MOST_SEARCHED} packages were searched, and 3 more were not" in warning.text
