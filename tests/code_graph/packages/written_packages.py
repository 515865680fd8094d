"""Packages of written trees, and a tree of many packages whose reading can be timed."""

from __future__ import annotations

import time
from collections.abc import Mapping

from code_graph.packages.catalog import TreePackages

_PACKAGES = 1_000
_FILES = 10


def packages_of(files: Mapping[str, str]) -> TreePackages:
    return TreePackages(files.keys(), files.get)


def requires(files: Mapping[str, str]) -> dict[str, set[str]]:
    """The packages that each package declares to need, of those that need any."""
    every = packages_of(files).all.values()
    return {one.id: set(one.requires) for one in every if one.requires}


def many_packages(count: int = _PACKAGES) -> dict[str, str]:
    """A workspace of npm and a tree of Bazel, each with as many packages."""
    files = {"package.json": '{"name": "all", "workspaces": ["web/*"]}'}
    for number in range(count):
        needs = ", ".join(f'"@x/p{at}": "*"' for at in range(max(0, number - 3), number))
        files[f"web/p{number}/package.json"] = (
            f'{{"name": "@x/p{number}", "dependencies": {{{needs}}}}}'
        )
        files[f"lib/t{number}/BUILD"] = (
            f'java_library(name = "t{number}", srcs = glob(["*.java"]), visibility = '
            f'["//lib:__subpackages__"], deps = ["//lib/t{number // 2}", "@maven//:guava"])\n'
        )
        for file in range(_FILES):
            files[f"web/p{number}/src/f{file}.ts"] = ""
            files[f"lib/t{number}/F{file}.java"] = ""
    return files


if __name__ == "__main__":
    tree = many_packages()
    begun = time.perf_counter()
    read = packages_of(tree)
    print(f"{len(read.all)} packages in {time.perf_counter() - begun:.2f} s")  # noqa: T201
