"""Resolution of Python modules to files and folders, seen from the file that imports them.

The import path of a file is guessed in this order: the innermost folder around it that is no
package, the source roots of its project and of projects around that, the root of the repository and
its `src`, then other folders around the file. Names of the standard library are looked for no
further. Last come the roots of other projects and the folders around packages anywhere, if only one
of them has the module. A package with an `__init__` counts before folders without one on any root,
as in the interpreter; source counts before stubs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from code_graph.projects.catalog import Projects
from code_graph.projects.model import MISSING, ImportOutcome, ProjectKind, Resolution
from code_graph.projects.tree import (
    PathTree,
    Probe,
    Table,
    ancestors,
    below,
    is_within,
    parent,
    shared_depth,
)
from index_format.tuples import NamedTuple

# modules of the standard library of all versions from 3.8 to 3.14, written down, as the running
# version must not decide what an import means
_NAMES: Final = """
__future__ abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore
atexit audioop base64 bdb binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath
cmd code codecs codeop collections colorsys compileall compression concurrent configparser
contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal
difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp
fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob
graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io
ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal
math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath
nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools
pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd
py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource
rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib
sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat
statistics string stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny
tarfile telnetlib tempfile termios textwrap this threading time timeit tkinter token tokenize
tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest
urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc
zipapp zipfile zipimport zlib zoneinfo
"""
STANDARD_MODULES: Final = frozenset(_NAMES.split())


_FILES: Final = (".py", ".pyi")
_INITS: Final = ("__init__.py", "__init__.pyi")
_STUBS: Final = "-stubs"
_MAX_PARTS: Final = 40
_MAX_ROOTS: Final = 64
# the entry of a root under a name
_ONLY_STUBS: Final = 0
_NAMESPACE: Final = 1
_REGULAR: Final = 2
_USUAL: Final = ("", "src")
_NAMED_SOURCE: Final = ("src", "lib")

# folders whose packages are nobody's import roots but their own
_SAMPLES: Final = frozenset(
    {"data", "example", "examples", "fixture", "fixtures", "sample", "samples"}
    | {"test", "testdata", "testing", "tests"}
)


class Holder(NamedTuple):
    """The files of a root under a name, and the reason it is a root: a manifest or convention."""

    kind: int
    is_named: bool


Holders = Mapping[str, Holder]


class PythonRoots:
    """The import roots of a tree; answers depend on paths and on `tables`."""

    def __init__(self, projects: Projects) -> None:
        tree = self._tree = projects.tree
        self._versions = projects.versions
        self._projects = [one for one in projects.all if one.kind is ProjectKind.PYTHON]
        self._project_roots = {project.root for project in self._projects}
        # folders with Python in them or below, as a folder of anything else is no namespace
        folders = _python_folders(tree)
        self._packages = frozenset(
            folder
            for folder in folders
            if any(below(folder, name) in tree.files for name in _INITS)
        )
        self._src = {
            root: None
            for project in self._projects
            for root in project.source_roots
            if root != project.root
        }
        # modules of a folder that is named like a source root have no such name before theirs
        self._source_roots = {
            *self._src,
            *(root for root in _NAMED_SOURCE if root not in self._packages),
        }
        # a package called src is imported by that name, unless a manifest says otherwise
        usual = (root for root in _USUAL if root not in self._packages)
        self._named = frozenset((*self._src, *self._project_roots, *usual))
        self._folders = Table("python-folder", folders)
        self._paths = Table("python-path", dict(self._import_paths(folders)))
        self._holders = Table("python-top", self._by_top(folders))
        self._names = Table("python-name", {one: self._name(one) for one in folders})
        self.tables: tuple[Table[Any], ...] = (
            self._folders,
            self._paths,
            self._holders,
            self._names,
        )

    def _import_paths(self, folders: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The roots that files of each folder import from, in order."""
        written = {project.root: project.source_roots for project in self._projects}
        for folder in folders:
            roots = [self._outside(folder)]
            for one in ancestors(folder):
                if one in written:
                    roots.extend((*written[one], one))
            roots.extend(root for root in _USUAL if root in self._named)
            around = (one for one in ancestors(folder) if one not in self._packages)
            yield folder, tuple(dict.fromkeys((*roots[:_MAX_ROOTS], *around)))

    def _by_top(self, folders: Iterable[str]) -> dict[str, Holders]:
        """Candidate root folders and their contents, by the name of a top-level module."""
        found: dict[str, dict[str, int]] = {}
        for root in folders:
            if root in self._packages and root not in self._named:
                continue
            for top, kind in self._tops_of(root):
                holders = found.setdefault(top, {})
                holders[root] = max(kind, holders.get(root, 0))
        named = self._named
        return {
            top: {root: Holder(kind, root in named) for root, kind in sorted(holders.items())}
            for top, holders in found.items()
        }

    def _tops_of(self, root: str) -> Iterator[tuple[str, int]]:
        for name in self._tree.folders_in(root):
            path = below(root, name)
            if path in self._packages:
                yield name, _REGULAR
            elif path in self._folders.values:
                yield name, _NAMESPACE
            if name.endswith(_STUBS):
                yield name.removesuffix(_STUBS), _ONLY_STUBS
        for name in self._tree.names_in(root):
            if name.endswith(_FILES):
                yield name.rpartition(".")[0], _REGULAR

    def _outside(self, folder: str) -> str:
        return next(one for one in ancestors(folder) if not one or one not in self._packages)

    def module_of(self, path: str, probe: Probe) -> str:
        """The dotted name of a file's module; the name of the package for its `__init__`."""
        folder, stem = parent(path), path.rpartition("/")[2].rpartition(".")[0]
        inner = probe.value(self._names, folder) or ""
        if stem == "__init__":
            return inner or stem
        return f"{inner}.{stem}" if inner else stem

    def _name(self, folder: str) -> str:
        """The dotted name of a folder."""
        return folder[len(self._root_of(folder)) :].strip("/").replace("/", ".")

    def _root_of(self, folder: str) -> str:
        """The root that the module names of a folder begin at."""
        outside = self._outside(folder)
        named = next((root for root in ancestors(folder) if root in self._source_roots), None)
        if named is not None and is_within(outside, named):
            return named
        if outside != folder:
            return outside
        return next((root for root in ancestors(folder) if root in self._project_roots), "")

    def find(self, module: str, from_path: str, probe: Probe, level: int = 0) -> Resolution:
        """The file of an imported module; leading dots are in its name, or given as a level."""
        plain = module.lstrip(".")
        level += len(module) - len(plain)
        parts = plain.split(".", _MAX_PARTS) if plain else []
        if len(parts) > _MAX_PARTS or not all(parts):
            return MISSING
        folder = parent(from_path)
        if level:
            return self._relative(parts, folder, level, probe)
        return self._absolute(parts, folder, probe) if parts else MISSING

    def _relative(self, parts: Sequence[str], folder: str, level: int, probe: Probe) -> Resolution:
        for _ in range(level - 1):
            if not folder:
                return MISSING
            folder = parent(folder)
        return self._walk(folder, parts, probe) or MISSING

    def _absolute(self, parts: Sequence[str], folder: str, probe: Probe) -> Resolution:
        top = parts[0]
        is_standard = top in STANDARD_MODULES
        holders = probe.value(self._holders, top)
        if not holders:
            return Resolution(ImportOutcome.EXTERNAL, package=top)
        path = probe.value(self._paths, folder) or _USUAL
        outside = path[0]
        namespace: Resolution | None = None
        for root in path:
            holder = holders.get(root)
            if holder is None or (is_standard and not holder.is_named and root != outside):
                continue
            found = self._walk(root, parts, probe)
            if found is not None and holder.kind == _REGULAR:
                return found
            # a folder with scripts beside the roots is no namespace
            if found is not None and (found.outcome is ImportOutcome.FILE or holder.is_named):
                namespace = namespace or found
        if is_standard:
            return Resolution(ImportOutcome.EXTERNAL, package=top)
        if namespace is not None and namespace.outcome is ImportOutcome.FILE:
            return namespace
        found = self._elsewhere(parts, folder, holders, probe)
        if found.outcome is ImportOutcome.FILE or namespace is None:
            return found
        # a folder that is no package, while packages of the name exist, says nothing
        packages = any(one.kind == _REGULAR and one.is_named for one in holders.values())
        return found if packages else namespace

    def _elsewhere(
        self, parts: Sequence[str], folder: str, holders: Holders, probe: Probe
    ) -> Resolution:
        """The module on a root of another project, or beside any package, if only one has it."""
        named = [root for root, holder in holders.items() if holder.is_named]
        others = [
            root
            for root, holder in holders.items()
            if holder.kind == _REGULAR and not _is_sample(root, folder)
        ]
        for roots in (named, others):
            hits = [(root, self._walk(root, parts, probe)) for root in roots[:_MAX_ROOTS]]
            found = [(root, hit) for root, hit in hits if hit is not None]
            files = [(root, hit) for root, hit in found if hit.outcome is ImportOutcome.FILE]
            if found and len(roots) <= _MAX_ROOTS:
                return self._only(files or found, folder, probe)
        # a namespace may be shared with packages from outside
        if any(holder.kind == _REGULAR for holder in holders.values()):
            return MISSING
        return Resolution(ImportOutcome.EXTERNAL, package=parts[0])

    def _only(
        self, found: Sequence[tuple[str, Resolution]], folder: str, probe: Probe
    ) -> Resolution:
        """The only place of a module, or the nearest to a folder; else none.

        Of several versions of a package it is the one that a lock file names.
        """
        if len(found) == 1 or all(hit.outcome is ImportOutcome.FOLDER for _, hit in found):
            return found[0][1]
        hits = dict(found)
        chosen = self._versions.choose(ProjectKind.PYTHON, [*hits], folder, probe)
        if chosen:
            others = tuple(hits[root].path for root in chosen[1:])
            return hits[chosen[0]]._replace(others=others)
        nearest = max(shared_depth(root, folder) for root, _ in found)
        best = [hit for root, hit in found if shared_depth(root, folder) == nearest]
        return best[0] if nearest and len(best) == 1 else MISSING

    def _walk(self, root: str, parts: Sequence[str], probe: Probe) -> Resolution | None:
        """The module of these names below a root."""
        base = "/".join((root, *parts) if root else parts)
        for init in _INITS:
            if probe.file(below(base, init)):
                return Resolution(ImportOutcome.FILE, below(base, init))
        for suffix in _FILES if parts else ():
            if probe.file(base + suffix):
                return Resolution(ImportOutcome.FILE, base + suffix)
        if probe.value(self._folders, base):
            return Resolution(ImportOutcome.FOLDER, base)
        if parts and not parts[0].endswith(_STUBS):
            stubs = parts[0] + _STUBS
            if probe.value(self._folders, below(root, stubs)):
                return self._walk(root, (stubs, *parts[1:]), probe)
        return None


def _is_sample(root: str, folder: str) -> bool:
    """True if a root holds data of tests or examples that a folder is no part of."""
    steps = root.split("/")
    return not _SAMPLES.isdisjoint(steps[shared_depth(root, folder) :] if folder else steps)


def _python_folders(tree: PathTree) -> dict[str, bool]:
    """Folders with Python files in them or below."""
    folders: dict[str, bool] = {}
    for folder, names in tree.folders_with_files():
        if any(name.endswith(_FILES) for name in names):
            for one in ancestors(folder):
                if one in folders:
                    break
                folders[one] = True
    return folders
