"""Where javac finds the declarations of names, with the archives of sources of libraries."""

from __future__ import annotations

import os
import subprocess
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from bench.dependencies.places import Answers, Target, Use
from bench.graph.java_oracle import EXPORTED

SOURCES: Final = "-sources.jar"
_SCRIPT: Final = Path(__file__).with_name("JavaPlaces.java")


def ask_java(root: Path, uses: Sequence[Use], keep: Path) -> Answers:
    """The declarations of the names at uses, with the libraries of Maven's local repository."""
    repository = Path(os.environ["MAVEN_REPO_LOCAL"])
    unpacked = {folder: jar for jar, folder in _unpacked(repository, keep / "sources")}
    out = keep / f"java-{root.name}.tsv"
    opened = [
        f"--add-exports=jdk.compiler/com.sun.tools.javac.{name}=ALL-UNNAMED" for name in EXPORTED
    ]
    folders = ":".join(map(str, unpacked))
    command = ["java", *opened, str(_SCRIPT), str(root), folders, str(out)]
    subprocess.run(command, check=True)
    found: defaultdict[tuple[str, int, int], list[Target]] = defaultdict(list)
    for row in out.read_text("utf-8").splitlines():
        path, line, column, place, target = row.split("\t")
        folder = next(each for each in unpacked if Path(place).is_relative_to(each))
        inner = Path(place).relative_to(folder)
        declared = Target(str(unpacked[folder] / inner), int(target))
        found[path, int(line), int(column)].append(declared)
    return [found[use.path, use.line, use.column] for use in uses]


def _unpacked(repository: Path, into: Path) -> Iterator[tuple[Path, Path]]:
    """The archives of sources, and the folders in which their files are."""
    for jar in sorted(repository.rglob(f"*{SOURCES}")):
        folder = into / jar.relative_to(repository)
        if not folder.exists():
            with zipfile.ZipFile(jar) as archive:
                archive.extractall(folder)
        yield jar.resolve(), folder.resolve()
