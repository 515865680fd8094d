"""Places in packages of Node, whose declarations of types a compiler of TypeScript opens."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.repo_mcp.dependencies.test_answers import served
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.workspace.workspaces import text_of

TESTS = (
    "declare namespace Runner {\n"
    "  interface Test {\n"
    "    (title: string, run: () => void): void;\n"
    "    only(title: string): void;\n"
    "  }\n"
    "}\n"
    "declare var it: Runner.Test;\n"
    'declare module "runner/inner" {\n'
    '  import { join } from "path";\n'
    "}\n"
)
CHECKS = (
    "declare namespace Checks {\n"
    "  interface Check { toBe(value: any): void }\n"
    "  interface Expect { (value: any): Check }\n"
    "  interface All {\n"
    "    expect: Expect;\n"
    "  }\n"
    "}\n"
    "declare const checks: Checks.All;\n"
    'declare module "checks" {\n'
    "  export = checks;\n"
    "}\n"
)
EQUAL = 'declare module "equal" {\n  const equal: () => boolean;\n  export = equal;\n}\n'
LOGGER = (
    "interface Log {\n"
    "  (message: string): void;\n"
    "}\n"
    'export type Logger = Record<"info" | "warn", Log>;\n'
    "export declare const logger: Logger;\n"
)
# a module that other files add to, as those of large libraries do
WHOLE = "export = _;\ndeclare const _: _.Static;\ndeclare namespace _ {}\n"
ADDED = (
    'import _ = require("../index");\n'
    'declare module "../index" {\n'
    "  interface Static {\n"
    "    chunk(): void;\n"
    "  }\n"
    "}\n"
)
BOTH = {
    "exports": {
        ".": {
            "import": {"types": "./esm/index.d.ts", "default": "./esm/index.js"},
            "require": {"types": "./cjs/index.d.ts", "default": "./cjs/index.js"},
        }
    },
    "types": "./old/index.d.ts",
}
PACKAGES: Mapping[str, tuple[Mapping[str, object], Mapping[str, str]]] = {
    "@types/runner": ({}, {"index.d.ts": TESTS}),
    "@types/checks": ({}, {"index.d.ts": CHECKS}),
    "equal": ({"main": "equal.js"}, {"index.d.ts": EQUAL, "equal.js": "module.exports = 1;\n"}),
    "logger": ({"types": "index.d.ts"}, {"index.d.ts": LOGGER}),
    "@types/whole": ({}, {"index.d.ts": WHOLE, "more/array.d.ts": ADDED}),
    "both": (
        BOTH,
        {
            f"{name}/index.d.ts": "\n" * line + "export declare function run(): void;\n"
            for line, name in enumerate(("esm", "cjs", "old"))
        },
    ),
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with packages."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    own = json.dumps({"dependencies": dict.fromkeys(PACKAGES, "1")})
    files: dict[str, str | bytes] = {"package.json": own}
    for name, (manifest, texts) in PACKAGES.items():
        folder = f"node_modules/{name}"
        said = {"name": name, "version": "1.0.0", **manifest}
        files[f"{folder}/package.json"] = json.dumps(said)
        files |= {f"{folder}/{path}": text for path, text in texts.items()}
    project = tmp_path / "project"
    write(project, files)
    return project


def place_of(root: Path, code: str, name: str = "app.ts") -> str:
    """The places of what a function calls."""
    write(root, {name: code})
    with served(root) as app:
        return text_of(app, "repo.symbol", name="work")


@pytest.mark.parametrize(
    ("imported", "code", "place"),
    [
        ("", "it('a', () => {})", "@types+runner/index.d.ts:7"),
        ("", "it.only('a')", "@types+runner/index.d.ts:4"),
        ("import { expect } from 'checks'", "expect(1)", "@types+checks/index.d.ts:5"),
        ("import { expect } from 'checks'", "expect(1).toBe(1)", "@types+checks/index.d.ts:2"),
        ("import equal from 'equal'", "equal()", "equal/index.d.ts:2"),
        ("import { logger } from 'logger'", "logger.info('a')", "logger/index.d.ts:2"),
        ("import all from 'logger'", "all.logger.warn('a')", "logger/index.d.ts:2"),
        ("import whole from 'whole'", "whole.chunk()", "@types+whole/more/array.d.ts:4"),
        ("import { chunk } from 'whole'", "chunk()", "@types+whole/more/array.d.ts:4"),
    ],
)
def test_declarations_are_opened_as_a_compiler_does(
    root: Path, imported: str, code: str, place: str
) -> None:
    found = place_of(root, f"{imported};\nexport function work() {{ {code}; }}\n")
    assert f"(deps:{place})" in found


@pytest.mark.parametrize(
    ("options", "kind", "name", "place"),
    [
        ({"module": "nodenext"}, "module", "app.ts", "both/esm/index.d.ts:1"),
        ({"module": "nodenext"}, "module", "app.cts", "both/cjs/index.d.ts:2"),
        ({"module": "nodenext"}, "commonjs", "app.ts", "both/cjs/index.d.ts:2"),
        ({"module": "nodenext"}, "commonjs", "app.mts", "both/esm/index.d.ts:1"),
        ({"moduleResolution": "bundler"}, "commonjs", "app.ts", "both/esm/index.d.ts:1"),
        ({"moduleResolution": "node"}, "module", "app.ts", "both/old/index.d.ts:3"),
        ({}, "module", "app.ts", "both/esm/index.d.ts:1"),
    ],
)
def test_a_package_is_opened_as_its_user_finds_it(
    root: Path, options: Mapping[str, str], kind: str, name: str, place: str
) -> None:
    manifest = {"type": kind, "dependencies": {"both": "1"}}
    config = {"compilerOptions": options}
    write(root, {"package.json": json.dumps(manifest), "tsconfig.json": json.dumps(config)})
    code = "import { run } from 'both';\nexport function work() { run(); }\n"
    assert f"(deps:{place})" in place_of(root, code, name)
