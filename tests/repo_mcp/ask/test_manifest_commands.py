"""Commands and entry points, as each kind of manifest declares them."""

from __future__ import annotations

import pytest

from repo_mcp.answers.tour import BUILD, CHECK, RUN, TEST
from repo_mcp.ask.manifest_commands import ENTRY, ManifestText, declared_in, is_listed

_PACKAGE = """{
 "scripts": {"test:unit": "x", "test": "jest", "build": "tsc", "dev": "vite", "lint": "eslint",
  "postinstall": "x"},
 "bin": {"shop": "bin/shop.js"}, "main": "./lib/index.js"
}"""
_PYPROJECT = """[build-system]
[project.scripts]
shop = "shop:main"
[tool.pytest.ini_options]
addopts = "-q"
[tool.ruff]
line-length = 100
"""


def declared(path: str, text: str, *beside: str, root: str = "") -> list[tuple[str, str]]:
    names = frozenset({path.rpartition("/")[2], *beside})
    found = declared_in(ManifestText(path, text, names, frozenset(root.split()) or names))
    return [(item.purpose, item.text) for item in found if item.text]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "package.json",
            _PACKAGE,
            [
                (TEST, "npm run test"),
                (TEST, "npm run test:unit"),
                (BUILD, "npm run build"),
                (RUN, "npm run dev"),
                (CHECK, "npm run lint"),
                (ENTRY, "shop"),
                (ENTRY, "lib/index.js"),
            ],
        ),
        (
            "pyproject.toml",
            _PYPROJECT,
            [
                (ENTRY, "shop"),
                (TEST, "pytest"),
                (CHECK, "ruff check"),
                (BUILD, "python -m build"),
            ],
        ),
        (
            "setup.cfg",
            "[options.entry_points]\nconsole_scripts =\n    shop = a:b\n[tool:pytest]\na = 1\n",
            [(ENTRY, "shop"), (TEST, "pytest")],
        ),
        ("pytest.ini", "", [(TEST, "pytest")]),
        ("tox.ini", "", [(TEST, "tox")]),
        ("noxfile.py", "", [(TEST, "nox")]),
        ("manage.py", "", [(RUN, "python manage.py runserver"), (TEST, "python manage.py test")]),
        (
            "Makefile",
            "PATH := x\n.PHONY: test\ntest lint: build\n\tpytest\nbuild:\n\tcc\nrun ::\n\t./a\n",
            [(TEST, "make test"), (CHECK, "make lint"), (BUILD, "make build"), (RUN, "make run")],
        ),
        (
            "justfile",
            'name := "x"\ntest filter="":\n  cargo test\nserve:\n  x\n',
            [(TEST, "just test"), (RUN, "just serve")],
        ),
        (
            "Taskfile.yml",
            "version: 3\ntasks:\n  build:\n    cmds: [x]\n  test:\n    x: 1\n",
            [(BUILD, "task build"), (TEST, "task test")],
        ),
        (
            "Cargo.toml",
            '[package]\nname = "a"\n[[bin]]\nname = "tool"\n',
            [(BUILD, "cargo build"), (TEST, "cargo test"), (ENTRY, "tool")],
        ),
        (
            "go.mod",
            "module example.com/a\n",
            [(BUILD, "go build ./..."), (TEST, "go test ./...")],
        ),
        ("Shop.sln", "", [(BUILD, "dotnet build Shop.sln"), (TEST, "dotnet test Shop.sln")]),
        (
            "Web.csproj",
            '<Project Sdk="Microsoft.NET.Sdk.Web"></Project>',
            [(RUN, "dotnet run --project Web.csproj"), (ENTRY, "Web")],
        ),
        ("Core.csproj", '<Project Sdk="Microsoft.NET.Sdk"></Project>', []),
        (
            "build.gradle.kts",
            'plugins { id("org.springframework.boot") }',
            [(BUILD, "gradle build"), (TEST, "gradle test"), (RUN, "gradle bootRun")],
        ),
        ("pom.xml", "<project/>", [(BUILD, "mvn package"), (TEST, "mvn test")]),
        ("build.sbt", "", [(BUILD, "sbt compile"), (TEST, "sbt test")]),
        ("Package.swift", "", [(BUILD, "swift build"), (TEST, "swift test")]),
        (
            "CMakeLists.txt",
            "project(a)\nenable_testing()\n",
            [
                (BUILD, "cmake -B build && cmake --build build"),
                (TEST, "ctest --test-dir build"),
            ],
        ),
        (
            "meson.build",
            "",
            [(BUILD, "meson setup build && ninja -C build"), (TEST, "meson test -C build")],
        ),
        (
            "Gemfile",
            "gem 'rails'\ngem 'rspec-rails'\n",
            [(TEST, "bundle exec rspec"), (RUN, "bin/rails server")],
        ),
        ("Gemfile", "gem 'rails'\n", [(TEST, "bin/rails test"), (RUN, "bin/rails server")]),
        ("Rakefile", "", [(TEST, "rake")]),
        ("composer.json", '{"scripts": {"test": "phpunit"}}', [(TEST, "composer test")]),
        ("phpunit.xml.dist", "", [(TEST, "vendor/bin/phpunit")]),
        ("mix.exs", "", [(BUILD, "mix compile"), (TEST, "mix test")]),
        ("deno.jsonc", '{"tasks": {"start": "x"}} // y', [(RUN, "deno task start")]),
        ("pubspec.yaml", "", [(TEST, "dart test")]),
        ("build.zig", "", [(BUILD, "zig build"), (TEST, "zig build test")]),
        ("shop.cabal", "", [(BUILD, "cabal build"), (TEST, "cabal test")]),
        ("MODULE.bazel", "", [(BUILD, "bazel build //..."), (TEST, "bazel test //...")]),
        (
            "Dockerfile",
            'FROM a AS b\nCMD ["x"]\nFROM c\nENTRYPOINT ["/shop"]\n',
            [(ENTRY, 'image: ["/shop"]')],
        ),
        (
            "Procfile",
            "web: bin/web -p 1\nworker: bin/jobs\n",
            [(RUN, "bin/web -p 1"), (RUN, "bin/jobs")],
        ),
        ("compose.yaml", "", [(RUN, "docker compose up")]),
    ],
    ids=lambda value: value if isinstance(value, str) and "\n" not in value else "",
)
def test_a_manifest_declares(name: str, text: str, expected: list[tuple[str, str]]) -> None:
    assert is_listed(name)
    assert declared(name, text) == expected


@pytest.mark.parametrize(
    ("lock", "command"),
    [
        ("pnpm-lock.yaml", "pnpm run test"),
        ("yarn.lock", "yarn run test"),
        ("bun.lock", "bun run test"),
    ],
)
def test_the_lock_file_names_the_package_manager(lock: str, command: str) -> None:
    text = '{"scripts": {"test": "x"}}'
    assert declared("web/package.json", text, lock) == [(TEST, command)]
    assert declared("web/package.json", text, root=lock) == [(TEST, command)]


def test_wrappers_and_runners_are_used_where_they_are() -> None:
    assert declared("a/pom.xml", "", root="mvnw")[1] == (TEST, "./mvnw test")
    assert declared("build.gradle", "", "gradlew")[1] == (TEST, "./gradlew test")
    pytest_table = "[tool.pytest.ini_options]\na = 1\n"
    assert declared("pyproject.toml", pytest_table, "uv.lock") == [(TEST, "uv run pytest")]
    assert declared("pyproject.toml", pytest_table, "poetry.lock") == [(TEST, "poetry run pytest")]


@pytest.mark.parametrize("name", ["package.json", "pyproject.toml", "Cargo.toml", "composer.json"])
def test_a_broken_manifest_declares_nothing(name: str) -> None:
    assert declared(name, "{[") == []


@pytest.mark.parametrize("name", ["main.py", "package.json.bak", "compose.test.yaml", "a.toml"])
def test_other_files_are_no_manifests(name: str) -> None:
    assert not is_listed(name)
