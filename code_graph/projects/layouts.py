"""Usual layouts: the source folders and targets of a project that its manifest need not name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from code_graph.projects.manifests.swift import usual_roots
from code_graph.projects.model import ProjectKind, ProjectManifest, Target
from code_graph.projects.tree import PathTree, below

_CARGO_FOLDERS: Final = (
    ("src/bin", "executable"),
    ("examples", "example"),
    ("tests", "test"),
    ("benches", "bench"),
)


def source_roots(
    tree: PathTree, kind: ProjectKind, folder: str, written: Iterable[str]
) -> tuple[str, ...]:
    """The folders in the tree that imports start from: those written, and the usual ones."""
    roots = [root for root in written if root in tree.folders]
    if kind is ProjectKind.PYTHON and not roots:
        src = below(folder, "src")
        # a package that is itself called src is imported by that name
        is_root = src in tree.folders and below(src, "__init__.py") not in tree.files
        roots.append(src if is_root else folder)
    return tuple(dict.fromkeys(roots))


def targets(tree: PathTree, manifest: ProjectManifest) -> tuple[Target, ...]:
    """The targets of a project: those written, and those that the files of the tree make."""
    if manifest.kind is ProjectKind.SWIFT:
        return tuple(_swift_targets(tree, manifest))
    if manifest.kind is ProjectKind.CARGO:
        return tuple(_cargo_targets(tree, manifest))
    return manifest.targets


def _swift_targets(tree: PathTree, manifest: ProjectManifest) -> Iterator[Target]:
    for target in manifest.targets:
        if target.root:
            yield target
            continue
        usual = (root for root in usual_roots(manifest.folder, target) if root in tree.folders)
        root = next(usual, None)
        if root is not None:
            yield target._replace(root=root)


def _cargo_targets(tree: PathTree, manifest: ProjectManifest) -> Iterator[Target]:
    """Each main file of a crate once; what the manifest says of a file counts first."""
    seen: set[str] = set()
    for target in (*manifest.targets, *_usual_cargo(tree, manifest)):
        path = target.path
        if not path and target.kind == "library":
            path = below(target.root, "lib.rs")
        if path in tree.files and path not in seen:
            seen.add(path)
            yield target._replace(path=path)


def _usual_cargo(tree: PathTree, manifest: ProjectManifest) -> Iterator[Target]:
    src = below(manifest.folder, "src")
    if not any(target.kind == "library" for target in manifest.targets):
        yield Target(manifest.name, "library", src, f"{src}/lib.rs")
    yield Target(manifest.name, "executable", src, f"{src}/main.rs")
    yield Target("build", "build", manifest.folder, below(manifest.folder, "build.rs"))
    for name, kind in _CARGO_FOLDERS:
        folder = below(manifest.folder, name)
        for file in tree.names_in(folder):
            if file.endswith(".rs"):
                yield Target(file.removesuffix(".rs"), kind, folder, f"{folder}/{file}")
        for inner in tree.folders_in(folder):
            yield Target(inner, kind, f"{folder}/{inner}", f"{folder}/{inner}/main.rs")
