"""Truth about TypeScript projects: the compiler's own program is asked about every name.

A place is judged when the compiler knows the symbol of its name. A call of a class or a component
counts as one of the class or component, a call of a constant alias as one of what it stands for, a
call of what holds a function (a property, a variable of a module, a name taken from a property) as
one of that; a call of a value without a declaration of its own (a parameter, an entry of an object)
is not judged.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from bench.graph.edges import Truth
from bench.graph.projects import Project

PACKAGE: Final = "typescript@5.9.3"
VERSION: Final = 7
# options that every project is compiled with
OPTIONS: Final[dict[str, Any]] = {
    "module": "esnext",
    "moduleResolution": "bundler",
    "jsx": "react-jsx",
    "types": [],
}
_SCRIPT: Final = Path(__file__).with_suffix(".mjs")


def truth(project: Project, root: Path, keep: Path) -> Truth:
    """The compiler's edges of a project, from the file of an earlier run if there is one."""
    stored = keep / "truth" / f"typescript-{project.name}-{VERSION}.jsonl"
    if not stored.exists():
        stored.parent.mkdir(parents=True, exist_ok=True)
        judge(prepared(project, root, keep), stored, compiler(keep), compiler_options(project))
    return Truth.read(stored)


def compiler(keep: Path) -> Path:
    """The module of the compiler, which is installed unless it is there."""
    module = keep / "node" / "node_modules" / "typescript" / "lib" / "typescript.js"
    if not module.exists():
        _npm(keep / "node", [PACKAGE])
    return module


def _npm(folder: Path, packages: Sequence[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    options = ["--no-audit", "--no-fund", "--ignore-scripts", "--legacy-peer-deps"]
    command = ["npm", "install", *options, "--prefix", str(folder), *packages]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def prepared(project: Project, root: Path, keep: Path) -> Path:
    """A copy of the tree with the packages that it needs; the measured tree stays as it is."""
    seen, needs = keep / "seen" / project.name, keep / "needs" / project.name
    shutil.rmtree(seen, ignore_errors=True)
    shutil.copytree(root, seen)
    if project.needs:
        if not needs.exists():
            _npm(needs, project.needs)
        (seen / "node_modules").symlink_to((needs / "node_modules").resolve())
    return seen


def compiler_options(project: Project) -> dict[str, Any]:
    """The options of the compiler, and the file with others."""
    options = dict(OPTIONS)
    if project.paths:  # else those of the project's own file count
        options["paths"] = {name: [path] for name, path in project.paths}
    return {"config": project.config, "compilerOptions": options}


def judge(root: Path, out: Path, module: Path, options: dict[str, Any]) -> None:
    """Write the compiler's edges of a folder."""
    part = out.with_suffix(".part")
    command = ["node", "--max-old-space-size=6000", str(_SCRIPT), str(module), str(root)]
    subprocess.run([*command, str(part), json.dumps(options)], check=True)
    part.replace(out)
