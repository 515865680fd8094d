"""Truth about Go projects: go/types resolves every name.

A name is judged when the checker resolves it; packages of other modules are empty, and what
depends on them is not judged. The first of a project's `roots` is the path of its module. Calls of
variables with functions are not judged. A type is judged by the interfaces of the module that it
implements.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

from bench.graph.edges import Truth
from bench.graph.go_interfaces import SCRIPTS
from bench.graph.projects import Project

VERSION: Final = 1


def truth(project: Project, root: Path, keep: Path) -> Truth:
    """The checker's edges of a project, from the file of an earlier run if there is one."""
    stored = keep / "truth" / f"go-{project.name}-{VERSION}.jsonl"
    if not stored.exists():
        stored.parent.mkdir(parents=True, exist_ok=True)
        part = stored.with_suffix(".part")
        command = ["go", "run", *SCRIPTS, str(root.resolve()), project.roots[0], str(part)]
        subprocess.run(command, check=True)
        part.replace(stored)
    return Truth.read(stored)
