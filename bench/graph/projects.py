"""The projects that are measured, and their trees on disk."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bench.answers.history import extract

_LIST: Final = Path(__file__).with_name("projects.toml")
SPLITS: Final = ("tune", "held-out")
# what is compiled for others, and not measured
NEEDED: Final = "needed"
# those whose lists of uses alone are judged
LISTS: Final = "lists"


@dataclass(frozen=True, slots=True)
class Project:
    """A tree to link, and how an oracle reads it."""

    name: str
    language: str
    split: str
    source: str
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    # for a C# compiler: the symbols of the preprocessor; for Swift's, options
    symbols: tuple[str, ...] = ()
    # for a TypeScript compiler: the file with its options, and names of modules with their paths
    config: str = ""
    paths: tuple[tuple[str, str], ...] = ()


def projects(language: str, splits: tuple[str, ...] = SPLITS) -> list[Project]:
    """The projects of a language, in the order of the list."""
    listed = tomllib.loads(_LIST.read_text("utf-8"))["project"]
    made = (Project(**{key: _frozen(value) for key, value in row.items()}) for row in listed)
    return [each for each in made if each.language == language and each.split in splits]


def project_named(name: str) -> Project:
    """A project of the list."""
    listed = tomllib.loads(_LIST.read_text("utf-8"))["project"]
    (row,) = (row for row in listed if row["name"] == name)
    return Project(**{key: _frozen(value) for key, value in row.items()})


def needed(project: Project) -> list[Project]:
    """The projects that a project needs, of those in the list."""
    every = projects(project.language, (*SPLITS, NEEDED))
    return [each for each in every if each.name in project.needs]


def _frozen(value: object) -> Any:  # noqa: ANN401 a field of any type
    if isinstance(value, dict):
        return tuple(value.items())
    return tuple(value) if isinstance(value, list) else value


def tree(project: Project, keep: Path, git: Path | None) -> Path:
    """The project's folder, made unless it is there."""
    root = keep / "trees" / project.name
    if root.exists():
        return root
    part = keep / "trees" / f"{project.name}.part"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    kind, _, rest = project.source.partition(":")
    if kind == "git":
        name, _, commit = rest.rpartition("@")
        if git is None:
            raise SystemExit(f"{project.name} needs --git with {name.replace('/', '+')}/repo")
        extract(git / name.replace("/", "+") / "repo", commit, part)
    else:
        _unpack(rest, keep / "packages", part)
    _leave(part, project)
    part.rename(root)
    return root


def _unpack(package: str, folder: Path, part: Path) -> None:
    """Download a package with pip and unpack the one wheel of it."""
    folder.mkdir(parents=True, exist_ok=True)
    into = folder / package
    options = ["--quiet", "--no-deps", "--only-binary=:all:", "--dest", str(into)]
    command = [sys.executable, "-m", "pip", "download", *options, package]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    (wheel,) = into.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(part)


def _leave(root: Path, project: Project) -> None:
    """Remove what is not asked for: folders that are not kept, and the wheel's own notes."""
    kept = [(*Path(name).parts,) for name in project.keep]
    for item in sorted(root.rglob("*")):
        parts = item.relative_to(root).parts
        is_on_the_way = not kept or any(a[: len(parts)] == parts[: len(a)] for a in kept)
        if item.is_dir() and (not is_on_the_way or item.suffix == ".dist-info"):
            shutil.rmtree(item)
    for name in project.drop:
        if (root / name).is_file():
            (root / name).unlink()
        shutil.rmtree(root / name, ignore_errors=True)
