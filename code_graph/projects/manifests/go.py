"""Reads go.mod and go.work."""

from __future__ import annotations

from collections.abc import Iterator

from code_graph.projects.manifests.values import MAX_ITEMS, folder_name, text_of, texts_of
from code_graph.projects.model import ProjectKind, ProjectManifest
from code_graph.projects.tree import join


def read_go_mod(path: str, folder: str, text: str) -> ProjectManifest:
    """The module, what it requires, and replacements that are folders of the repository."""
    module, replaced, required = "", dict[str, str](), list[str]()
    for words, _ in directives(text):
        if words[0] == "module" and len(words) > 1:
            module = words[1]
        elif words[0] == "replace":
            replaced.update(_local_replacement(folder, words[1:]))
        elif words[0] == "require" and len(words) > 1:
            required.append(words[1])
    name = text_of(module)
    return ProjectManifest(
        path,
        ProjectKind.GO,
        folder,
        name or folder_name(folder),
        replaced=replaced,
        requires=texts_of(required),
    )


def read_go_work(path: str, folder: str, text: str) -> ProjectManifest:
    """The modules that a go.work uses."""
    members, replaced = list[str](), dict[str, str]()
    for words, _ in directives(text):
        if words[0] == "use" and len(words) > 1:
            where = join(folder, words[1])
            members.extend([] if where is None else [where])
        elif words[0] == "replace":
            replaced.update(_local_replacement(folder, words[1:]))
    listed = tuple(members[:MAX_ITEMS])
    return ProjectManifest(
        path, ProjectKind.GO, folder, is_project=False, members=listed, replaced=replaced
    )


def directives(text: str) -> Iterator[tuple[list[str], str]]:
    """The words of each directive, its keyword first, and its comment; blocks are taken apart."""
    block = ""
    for line in text.splitlines():
        code, _, comment = line.partition("//")
        words = [word.strip('"`') for word in code.split()[:8]]
        if not words:
            continue
        if words[0] == ")":
            block = ""
        elif block:
            yield [block, *words], comment
        elif len(words) > 1 and words[1] == "(":
            block = words[0]
        elif words[0].endswith("("):
            block = words[0][:-1]
        else:
            yield words, comment


def _local_replacement(folder: str, words: list[str]) -> Iterator[tuple[str, str]]:
    if "=>" in words:
        at = words.index("=>")
        where = words[at + 1] if len(words) > at + 1 else ""
        if at and where.startswith("."):
            target = join(folder, where)
            if target is not None:
                yield words[0], target
