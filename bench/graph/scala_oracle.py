"""Truth about Scala projects: scalac types all sources together, and is asked about every name.

The compiler is that of Debian's package `scala`, or the jars in the folder that `SCALA_LIBRARIES`
names. A call of a constructor or of a case class's `apply` is one of the class, if no other is
declared; a function without arguments is called by its name alone. What is made of a method's name
that is a value is no call; nor is a class that a pattern takes apart. Fields of functions are not
judged where they are called, nor what `for`, `unapply`, `update` and conversions call, which stands
nowhere in the text.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from bench.graph.edges import Truth
from bench.graph.projects import Project

VERSION: Final = 3
_SOURCE: Final = Path(__file__).with_name("ScalaOracle.scala")
_LIBRARIES: Final = Path(os.environ.get("SCALA_LIBRARIES", "/usr/share/java"))
_PARTS: Final = ("compiler", "reflect", "library", "xml_2.11", "parser-combinators_2.11")


def truth(project: Project, root: Path, keep: Path) -> Truth:
    """The compiler's edges of a project, from the file of an earlier run if there is one."""
    stored = keep / "truth" / f"scala-{project.name}-{VERSION}.jsonl"
    if not stored.exists():
        stored.parent.mkdir(parents=True, exist_ok=True)
        judge(root, stored)
    return Truth.read(stored)


def judge(root: Path, out: Path) -> None:
    """Write what scalac says of every source below a folder; a reader never sees half of it."""
    part = out.with_suffix(".part")
    jars = [_LIBRARIES / f"scala-{name}.jar" for name in _PARTS]
    path = os.pathsep.join(str(jar) for jar in jars if jar.exists())
    java = ["java", "-Xss32m", "-Dscala.usejavacp=true"]
    with tempfile.TemporaryDirectory() as made:
        compiler = [*java, "-cp", path, "scala.tools.nsc.Main", "-nowarn", "-d", made]
        subprocess.run([*compiler, str(_SOURCE)], check=True)
        run = [*java, "-cp", os.pathsep.join([made, path]), "ScalaOracle", str(root), str(part)]
        subprocess.run(run, check=True)
    part.replace(out)
