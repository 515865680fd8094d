"""Truth about Java projects: javac attributes all sources together, and is asked about every name.

A place is judged when javac knows the symbol of its name; a call, when it knows the types of the
arguments, too. So what a missing library decides is not judged. A call of a constructor counts as
one of the constructor, or of the class if that declares none. A class without a name is called by
its base and its number, as the product calls it, and the class of an enum's constant is the
constant.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

from bench.graph.edges import Truth
from bench.graph.projects import Project

VERSION: Final = 2
_SOURCE: Final = Path(__file__).with_name("JavaOracle.java")
# of the compiler's own packages, for the symbols of its trees
EXPORTED: Final = ("api", "code", "tree", "util")


def truth(project: Project, root: Path, keep: Path) -> Truth:
    """The compiler's edges of a project, from the file of an earlier run if there is one."""
    stored = keep / "truth" / f"java-{project.name}-{VERSION}.jsonl"
    if not stored.exists():
        stored.parent.mkdir(parents=True, exist_ok=True)
        judge(root, stored)
    return Truth.read(stored)


def judge(root: Path, out: Path) -> None:
    """Write what javac says of every source below a folder; a reader never sees half of it."""
    part = out.with_suffix(".part")
    opened = [
        f"--add-exports=jdk.compiler/com.sun.tools.javac.{name}=ALL-UNNAMED" for name in EXPORTED
    ]
    command = ["java", *opened, str(_SOURCE), str(root), str(part)]
    subprocess.run(command, check=True)
    part.replace(out)
