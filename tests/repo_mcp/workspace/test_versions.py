"""Of two versions of a library a file means the one that its lock file names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from docs.sample_shop import run_command
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.workspace.workspaces import roots_of, serve, text_of

PYTHON = {
    "one/pyproject.toml": '[project]\nname = "Tax_Lib"\nversion = "1.0"\n',
    "one/taxlib/__init__.py": "def add_tax(price):\n    return price\n",
    "two/pyproject.toml": '[project]\nname = "tax-lib"\nversion = "2.0.0"\n',
    "two/taxlib/__init__.py": "def add_tax(price):\n    return price + 1\n",
    "app/till.py": "from taxlib import add_tax\n\n\ndef total(price):\n    return add_tax(price)\n",
    "app/pyproject.toml": '[project]\nname = "app"\n',
}
NPM = {
    "one/package.json": '{"name": "@tax/lib", "version": "1.0.0", "main": "index.ts"}',
    "one/index.ts": "export function add_tax(price: number) {\n  return price;\n}\n",
    "two/package.json": '{"name": "@tax/lib", "version": "2.0.0", "main": "index.ts"}',
    "two/index.ts": "export function add_tax(price: number) {\n  return price + 1;\n}\n",
    "app/package.json": '{"name": "app", "dependencies": {"@tax/lib": "^2.0.0"}}',
    "app/till.ts": 'import { add_tax } from "@tax/lib";\n\n'
    "export function total(price: number) {\n  return add_tax(price);\n}\n",
}
RUST = {
    "one/Cargo.toml": '[package]\nname = "tax-lib"\nversion = "1.0.0"\n',
    "one/src/lib.rs": "pub fn add_tax(price: u32) -> u32 {\n    price\n}\n",
    "two/Cargo.toml": '[package]\nname = "tax-lib"\nversion = "2.0.0"\n',
    "two/src/lib.rs": "pub fn add_tax(price: u32) -> u32 {\n    price + 1\n}\n",
    "app/Cargo.toml": '[package]\nname = "app"\n\n[dependencies]\ntax-lib = "2"\n',
    "app/src/main.rs": "use tax_lib::add_tax;\n\nfn total() {\n    add_tax(1);\n}\n",
}
GO = {
    "one/go.mod": "module example.org/taxlib\n",
    "one/rates.go": "package taxlib\n\nfunc AddTax(price int) int {\n\treturn price\n}\n",
    "two/go.mod": "module example.org/taxlib\n",
    "two/rates.go": "package taxlib\n\nfunc AddTax(price int) int {\n\treturn price + 1\n}\n",
    "app/go.mod": "module example.org/shop\n",
    "app/till.go": 'package shop\n\nimport "example.org/taxlib"\n\n'
    "func total(price int) int {\n\treturn taxlib.AddTax(price)\n}\n",
}
_TABLES = '[[package]]\nname = "other"\nversion = "1.0"\n\n[[package]]\nname = "tax-lib"\n'

LOCKED = [
    (PYTHON, {"app/uv.lock": _TABLES + 'version = "2.0.0"\n'}),
    (PYTHON, {"app/uv.lock": _TABLES + 'version = "1.0"\nsource = { editable = "../two" }\n'}),
    (PYTHON, {"app/poetry.lock": _TABLES + 'version = "2.0.0"\n'}),
    (
        PYTHON,
        {
            "app/poetry.lock": _TABLES
            + 'version = "1"\n\n[package.source]\ntype = "directory"\nurl = "../two"\n'
        },
    ),
    (PYTHON, {"app/requirements.txt": "tax-lib[fast]==2.0 ; python_version > '3'\n"}),
    (PYTHON, {"app/requirements.txt": "-e ../two\n"}),
    (PYTHON, {"app/pyproject.toml": '[tool.uv.sources]\ntax-lib = { path = "../two" }\n'}),
    (
        NPM,
        {
            "app/package-lock.json": '{"packages": {"node_modules/@tax/lib": {"version": "2.0.0"},'
            ' "node_modules/x/node_modules/@tax/lib": {"version": "1.0.0"}}}'
        },
    ),
    (NPM, {"app/package-lock.json": '{"dependencies": {"@tax/lib": {"version": "2.0.0"}}}'}),
    (
        NPM,
        {
            "app/pnpm-lock.yaml": "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n"
            "    dependencies:\n"
            "      '@tax/lib':\n        specifier: ^2.0.0\n        version: 2.0.0(peer@1.0.0)\n"
        },
    ),
    (NPM, {"app/pnpm-lock.yaml": "dependencies:\n  '@tax/lib':\n    version: link:../two\n"}),
    (NPM, {"app/yarn.lock": '"@tax/lib@^2.0.0":\n  version "2.0.0"\n  resolved "x"\n'}),
    (NPM, {"app/yarn.lock": '"@tax/lib@npm:^2.0.0":\n  version: 2.0.0\n'}),
    (NPM, {"app/package.json": '{"name": "app", "dependencies": {"@tax/lib": "file:../two"}}'}),
    (RUST, {"app/Cargo.lock": _TABLES + 'version = "2.0.0"\n'}),
    (
        RUST,
        {"app/Cargo.toml": '[package]\nname = "app"\n[dependencies]\ntax-lib = {path="../two"}\n'},
    ),
]
NAMED = ("one", "two", "app")


def names_of(top: Path) -> list[tuple[str, str]]:
    return roots_of(top, {name: name for name in NAMED})


def uses(top: Path, files: Mapping[str, str]) -> tuple[str, str]:
    """The answers about the function in both versions."""
    write(top, {**files})
    paths = [
        next(path for path in files if path.startswith(name) and is_code(path)) for name in NAMED
    ]
    with serve(*names_of(top), data=top / "data") as app:
        line = "3" if paths[0].endswith(".go") else "1"
        one, two = (text_of(app, "repo.symbol", name=f"{path}:{line}") for path in paths[:2])
    return one, two


def is_code(path: str) -> bool:
    return path.endswith((".py", ".ts", ".rs", ".go"))


@pytest.mark.servers
@pytest.mark.parametrize(("files", "lock"), LOCKED, ids=lambda item: " ".join(item)[-40:])
def test_a_lock_file_decides(
    tmp_path: Path, files: Mapping[str, str], lock: Mapping[str, str]
) -> None:
    one, two = uses(tmp_path, {**files, **lock})
    assert "app/" not in one
    assert "app/" in two
    assert "inferred" not in two
    assert "another version" not in two


@pytest.mark.servers
@pytest.mark.parametrize("files", [PYTHON, NPM, RUST, GO], ids=["python", "npm", "rust", "go"])
def test_without_one_all_are_shown_as_less_sure(tmp_path: Path, files: Mapping[str, str]) -> None:
    for found in uses(tmp_path, files):
        assert "app/" in found
        assert "[inferred]" in found
        assert "use may mean another version of the package: no lock file says" in found.replace(
            "uses may", "use may"
        )


@pytest.mark.servers
def test_a_lock_file_with_another_version_says_nothing(tmp_path: Path) -> None:
    files = {**PYTHON, "app/uv.lock": _TABLES + 'version = "3.0"\n'}
    assert all("[inferred]" in found for found in uses(tmp_path, files))


@pytest.mark.servers
def test_folders_of_go_modules_may_have_versions_in_their_names(tmp_path: Path) -> None:
    write(tmp_path, {**GO, "app/go.mod": "module shop\n\nrequire example.org/taxlib v1.2.0\n"})
    roots = roots_of(tmp_path, {"taxlib@v1.2.0": "one", "taxlib@v1.3.0": "two", "app": "app"})
    with serve(*roots, data=tmp_path / "data") as app:
        assert "app/" in text_of(app, "repo.symbol", name="taxlib@v1.2.0/rates.go:3")
        assert "app/" not in text_of(app, "repo.symbol", name="taxlib@v1.3.0/rates.go:3")


@pytest.mark.servers
def test_an_edit_of_a_lock_file_links_its_users_again(tmp_path: Path) -> None:
    write(tmp_path, {**PYTHON, "app/uv.lock": _TABLES + 'version = "1.0"\n'})
    with serve(*names_of(tmp_path), data=tmp_path / "data") as app:
        place = "one/taxlib/__init__.py:1"
        assert "app/till.py" in text_of(app, "repo.symbol", name=place)
        write(tmp_path, {"app/uv.lock": _TABLES + 'version = "2.0"\n'})
        text_of(app, "repo.refresh_index")
        assert "app/till.py" not in text_of(app, "repo.symbol", name=place)
        assert "app/till.py" in text_of(app, "repo.symbol", name="two/taxlib/__init__.py:1")


@pytest.mark.servers
def test_a_command_says_that_the_version_is_not_known(tmp_path: Path) -> None:
    write(tmp_path, {**PYTHON})
    flags = [word for name in NAMED for word in ("--root", str(tmp_path / name))]
    found = run_command(
        tmp_path,
        ["callers", "one/taxlib/__init__.py:1", *flags, "--data-dir", str(tmp_path / "d")],
        piped=True,
    )
    assert "[inferred]" in found.out
    assert "no lock file says which" in found.err
