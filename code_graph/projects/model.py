"""Projects, what manifests say of them, and where an import leads."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum, StrEnum

from index_format.records import Record, field
from index_format.tuples import NamedTuple


class ProjectKind(StrEnum):
    """Kinds of projects, by the manifest that makes a folder one."""

    FOLDER = "folder"  # no manifest: the root of the repository
    PYTHON = "python"
    NPM = "npm"
    CARGO = "cargo"
    GO = "go"
    SWIFT = "swift"
    MAVEN = "maven"
    GRADLE = "gradle"
    DOTNET = "dotnet"


class Target(NamedTuple):
    """A part of a project that is built or imported by a name of its own."""

    name: str
    kind: str  # library, executable, test, example, bench, plugin, macro, system
    root: str  # its folder
    path: str = ""  # its main file, if that is known


class Note(NamedTuple):
    """Something in a manifest that could not be read."""

    path: str
    text: str


class Project(Record):
    """A package of the repository.

    `id` is the name, with `@` and the folder behind it if a project nearer to the root has the
    same name. `source_roots` are folders that imports of Python start from, as the manifest says or
    as is usual and in the tree.
    """

    id: str
    kind: ProjectKind
    name: str
    root: str
    manifest: str = ""
    source_roots: tuple[str, ...] = ()
    targets: tuple[Target, ...] = ()
    # the manifest of the workspace, solution or aggregator that lists this project
    workspace: str = ""
    # as the manifest writes it; empty where it does not, or computes it
    version: str = ""


class ProjectManifest(Record):
    """The contents of one manifest; its paths are relative to the repository.

    `members` are paths or globs of folders or manifests that belong to it. `aliases` lead from the
    name that a dependency is imported by to its own name.
    """

    path: str
    kind: ProjectKind
    folder: str
    name: str = ""
    is_project: bool = True
    source_roots: tuple[str, ...] = ()
    targets: tuple[Target, ...] = ()
    members: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(factory=dict)
    # folders of the repository that stand for other packages, by package
    replaced: Mapping[str, str] = field(factory=dict)
    # files outside the folder that are compiled into it, or folders of such
    includes: tuple[str, ...] = ()
    # further input of the language's resolver, as its reader made it
    details: object = None
    version: str = ""
    # packages that it declares to depend on, as its kind names them: by name, as a project of the
    # same build (":core"), or by the path of their manifest
    requires: tuple[str, ...] = ()
    # the same for other projects of its build, by their names
    configured: Mapping[str, tuple[str, ...]] = field(factory=dict)


class ImportOutcome(IntEnum):
    """The target of an import."""

    FILE = 0
    FOLDER = 1  # a package or module of several files
    EXTERNAL = 2  # something outside the repository
    MISSING = 3  # it should be in the repository and is not


class Resolution(NamedTuple):
    """Where an import leads.

    `path` is a file or folder, `package` what an external import belongs to. `rest` is the end of
    the import that names something in the file or folder.
    """

    outcome: ImportOutcome
    path: str = ""
    package: str = ""
    rest: str = ""
    # what it may mean as well: other versions of a package, of which nothing names one
    others: tuple[str, ...] = ()


MISSING = Resolution(ImportOutcome.MISSING)


class ManifestError(Exception):
    """A manifest can't be read; the message says why."""
