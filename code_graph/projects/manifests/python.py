"""Reads what pyproject.toml, setup.cfg and setup.py say of a Python package.

setup.py is searched for literals only; nothing of it runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from code_graph.projects.manifests.values import (
    folder_name,
    ini_options,
    local_folders,
    table_of,
    tables_of,
    text_of,
    texts_of,
    toml_table,
)
from code_graph.projects.model import ProjectKind, ProjectManifest
from code_graph.projects.tree import join

_SETUP_NAME: Final = re.compile(r"""\bname\s*=\s*["']([A-Za-z0-9._-]{1,100})["']""")
_REQUIRED_NAME: Final = re.compile(r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?")
_SETUP_CALL: Final = re.compile(r"\bsetup\s*\(")
_PACKAGE_DIR: Final = re.compile(
    r"""\bpackage_dir\s*=\s*\{\s*["']["']\s*:\s*["']([^"'\n]{1,200})["']"""
)
_FIND_PACKAGES: Final = re.compile(
    r"""\bfind(?:_namespace)?_packages\(\s*(?:where\s*=\s*)?["']([^"'\n]{1,200})["']"""
)
# values of setup.cfg that stand elsewhere
_COMPUTED: Final = ("attr:", "file:")
# build backends whose packages lie in src unless the manifest says otherwise
_SRC_BACKENDS: Final = ("uv_build",)


def read_pyproject(path: str, folder: str, text: str) -> ProjectManifest:
    """Read a pyproject.toml."""
    whole = toml_table(text)
    project, tool = table_of(whole, "project"), table_of(whole, "tool")
    poetry = table_of(tool, "poetry")
    name = text_of(project.get("name")) or text_of(poetry.get("name"))
    name = name or text_of(table_of(tool, "flit", "metadata").get("module"))
    build = table_of(whole, "build-system")
    return ProjectManifest(
        path,
        ProjectKind.PYTHON,
        folder,
        name or folder_name(folder),
        # many are there for the settings of linters alone
        is_project=bool(name or project or build),
        source_roots=_folders(folder, _tool_roots(tool, text_of(build.get("build-backend")))),
        members=texts_of(table_of(tool, "uv", "workspace").get("members")),
        version=text_of(project.get("version")) or text_of(poetry.get("version")),
        replaced=dict(
            local_folders(
                folder,
                (
                    *table_of(tool, "uv", "sources").items(),
                    *table_of(poetry, "dependencies").items(),
                ),
            )
        ),
        requires=_required(_declared(project, poetry, table_of(whole, "dependency-groups"))),
    )


def _declared(
    project: Mapping[str, Any], poetry: Mapping[str, Any], groups: Mapping[str, Any]
) -> Iterator[str]:
    """The dependencies of every extra and every group, as they are written."""
    extras = table_of(project, "optional-dependencies").values()
    for written in (project.get("dependencies"), *extras, *groups.values()):
        yield from texts_of(written)
    of_groups = [table_of(group, "dependencies") for group in table_of(poetry, "group").values()]
    for table in (table_of(poetry, "dependencies"), *of_groups):
        yield from (name for name in table if name != ProjectKind.PYTHON.value)


def _required(written: Iterable[str]) -> tuple[str, ...]:
    """The names at the beginning of requirements."""
    names = (_REQUIRED_NAME.match(text) for text in written)
    return texts_of([name[0] for name in names if name is not None])


def _tool_roots(tool: Mapping[str, Any], backend: str) -> Iterator[str]:
    """The folders that build tools and test runners put on the import path."""
    setuptools = table_of(tool, "setuptools")
    yield from texts_of(table_of(setuptools, "packages", "find").get("where"))
    yield from _package_dirs(table_of(setuptools, "package-dir"))
    for package in tables_of(table_of(tool, "poetry").get("packages")):
        yield text_of(package.get("from"))
    hatch = table_of(tool, "hatch", "build")
    for built in (hatch, table_of(hatch, "targets", "wheel")):
        yield from (_parent(package) for package in texts_of(built.get("packages")))
        yield from texts_of(built.get("dev-mode-dirs"))
        yield from table_of(built, "sources")
        yield from texts_of(built.get("sources")) if isinstance(built.get("sources"), list) else ()
    yield text_of(table_of(tool, "pdm", "build").get("package-dir"))
    yield text_of(table_of(tool, "maturin").get("python-source"))
    uv_backend = table_of(tool, "uv", "build-backend")
    yield text_of(uv_backend.get("module-root"))
    if backend in _SRC_BACKENDS and "module-root" not in uv_backend:
        yield "src"
    yield from texts_of(table_of(tool, "pytest", "ini_options").get("pythonpath"))
    yield from texts_of(table_of(tool, "pyright").get("extraPaths"))


def _package_dirs(table: Mapping[str, Any]) -> Iterator[str]:
    """Roots from a table of package names and their folders; "" is the root of all others."""
    for package, value in table.items():
        where = text_of(value)
        suffix = "/" + package.replace(".", "/") if package else ""
        if where.endswith(suffix):
            yield where.removesuffix(suffix)
        elif where == package.replace(".", "/"):
            yield "."


def _parent(package: str) -> str:
    return package.strip("/").rpartition("/")[0] or "."


def read_setup_cfg(path: str, folder: str, text: str) -> ProjectManifest:
    """Read a setup.cfg."""
    name, version, roots, required = "", "", list[str](), list[str]()
    for section, option, lines in ini_options(text):
        first = text_of(lines[0]) if lines else ""
        if (section, option) == ("metadata", "name"):
            name = first
        elif (section, option) == ("metadata", "version"):
            version = "" if first.startswith(_COMPUTED) else first
        elif (section, option) == ("options.packages.find", "where"):
            roots.extend(lines)
        elif (section, option) == ("options", "package_dir"):
            pairs = (line.partition("=") for line in lines)
            roots.extend(_package_dirs({left.strip(): right.strip() for left, _, right in pairs}))
        elif (section, option) == ("options", "install_requires"):
            required.extend(lines)
    return ProjectManifest(
        path,
        ProjectKind.PYTHON,
        folder,
        name or folder_name(folder),
        is_project=bool(name),
        source_roots=_folders(folder, roots),
        version=version,
        requires=_required(required),
    )


def read_setup_py(path: str, folder: str, text: str) -> ProjectManifest:
    """Read the literals of a setup.py."""
    found = _SETUP_NAME.search(text)
    roots = [*_PACKAGE_DIR.findall(text), *_FIND_PACKAGES.findall(text)]
    return ProjectManifest(
        path,
        ProjectKind.PYTHON,
        folder,
        found[1] if found else folder_name(folder),
        is_project=bool(_SETUP_CALL.search(text)),
        source_roots=_folders(folder, roots),
    )


def _folders(folder: str, relative: Iterable[str]) -> tuple[str, ...]:
    """The folders that relative paths mean, in order, each once."""
    paths = (join(folder, text.replace("\\", "/")) for text in relative if text)
    return tuple(dict.fromkeys(path for path in paths if path is not None))
