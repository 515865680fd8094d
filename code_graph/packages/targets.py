"""The targets of build files as packages: their files, edges and rules of visibility."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from code_graph.packages.build_files import BuildRule, BuildValue, read_rules
from code_graph.packages.model import PackageGroup, TreePackage
from code_graph.paths.globs import Glob, GlobError
from code_graph.projects.manifests.values import folder_name
from code_graph.projects.model import ManifestError, Note
from code_graph.projects.source import is_own
from code_graph.projects.tree import PathTree, ancestors, below
from index_format.records import Record
from index_format.tuples import NamedTuple

_BAZEL: Final = "BUILD.bazel"
_NAMES: Final = frozenset({"BUILD", _BAZEL, "BUILD.pants", "BUCK", "BUCK.v2", "TARGETS"})
_PANTS: Final = "pants.toml"
# files that are at the root of what `//` begins at
_ROOTS: Final = frozenset(
    {"MODULE.bazel", "WORKSPACE", "WORKSPACE.bazel", "REPO.bazel", ".buckconfig", _PANTS}
)
_NO_TARGETS: Final = frozenset(
    {"load", "package", "workspace", "exports_files", "licenses", "package_group"}
)
# arguments whose labels are no dependencies
_NO_EDGES: Final = frozenset(
    {"name", "visibility", "tags", "features", "licenses", "restricted_to", "default_visibility"}
    | {"compatible_with", "target_compatible_with", "exec_compatible_with", "within_view"}
)
# arguments in which a bare name is one of the same folder
_BARE: Final = frozenset({"deps", "srcs", "hdrs", "data", "exports", "embed", "runtime_deps"})
_PANTS_EDGES: Final = "dependencies"
_PANTS_FILES: Final = ("sources", "source")
_PYTHON_TESTS: Final = ("test_*.py", "*_test.py", "tests.py")
# the files of rules of Pants that name none
_PANTS_USUAL: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "python_sources": (("*.py", "*.pyi"), (*_PYTHON_TESTS, "conftest.py")),
    "python_tests": (_PYTHON_TESTS, ()),
    "python_test_utils": (("conftest.py", "test_*.pyi", "*_test.pyi"), ()),
    "shell_sources": (("*.sh",), ("test_*.sh", "*_test.sh")),
    "protobuf_sources": (("*.proto",), ()),
    "java_sources": (("*.java",), ("*Test.java",)),
    "junit_tests": (("*Test.java", "*Test.kt"), ()),
    "kotlin_sources": (("*.kt",), ("*Test.kt",)),
    "scala_sources": (("*.scala",), ("*Spec.scala", "*Suite.scala", "*Test.scala")),
}
_MOST_FILES: Final = 20_000
_MOST_TARGETS: Final = 200_000
# comparisons of a file with a glob: seconds
_MOST_MATCHES: Final = 5_000_000


class BuildTargets(NamedTuple):
    """All targets of a tree, and the groups of packages that their visibilities name."""

    packages: Sequence[TreePackage]
    groups: Mapping[str, PackageGroup]


class _TargetRule(Record):
    """A target before it is known which labels are those of targets."""

    label: str
    rule: BuildRule
    path: str
    folder: str
    # what `//` begins at
    root: str
    is_pants: bool
    visibility: BuildValue | None


def read_targets(
    tree: PathTree, read: Callable[[str], str | None], notes: list[Note]
) -> BuildTargets:
    """Read all build files; those that can't be read are added to the notes."""
    reading = _Reading(tree, read, notes)
    return BuildTargets([*reading.packages()], reading.groups)


class _Reading:
    """Reads the build files of a tree: all rules first, then what these name."""

    def __init__(
        self, tree: PathTree, read: Callable[[str], str | None], notes: list[Note]
    ) -> None:
        self._tree = tree
        self._read = read
        self._notes = notes
        self._left = _MOST_MATCHES
        self.groups: dict[str, PackageGroup] = {}
        folders = [*tree.folders_with_files()]
        self._roots = {folder: names for folder, names in folders if not _ROOTS.isdisjoint(names)}
        built = {folder: [*_build_files(names)] for folder, names in sorted(folders)}
        self._built = {folder: names for folder, names in built.items() if names and is_own(folder)}
        self._own = self._own_files(folders) if self._built else {}
        self._targets: dict[str, _TargetRule] = {}
        paths = ((below(at, name), at) for at, names in self._built.items() for name in names)
        for count, (path, folder) in enumerate(paths):
            if count == _MOST_FILES or len(self._targets) > _MOST_TARGETS:
                self._notes.append(Note("", f"only {count} build files are read"))
                break
            self._add(path, folder)

    def packages(self) -> Iterator[TreePackage]:
        """The targets with what they name."""
        for written in self._targets.values():
            yield self._package(written)

    def _own_files(self, folders: Iterable[tuple[str, Sequence[str]]]) -> dict[str, list[str]]:
        """The files of each folder with a build file, and of those below it without one."""
        own: dict[str, list[str]] = defaultdict(list)
        for folder, names in folders:
            around = next((at for at in ancestors(folder) if at in self._built), None)
            if around is not None:
                start = len(around) + 1 if around else 0
                own[around] += [below(folder, name)[start:] for name in names]
        return own

    def _add(self, path: str, folder: str) -> None:
        root = next((at for at in ancestors(folder) if at in self._roots), "")
        is_pants = path.endswith(".pants") or _PANTS in self._roots.get(root, ())
        # Bazel and Buck let nobody else use a target that says nothing
        usual = None if is_pants else BuildValue()
        text, usual_name = self._read(path), BuildValue()
        try:
            if text is None:
                raise ManifestError("it can't be read")  # noqa: TRY301 one note for all reasons
            for rule in read_rules(text):
                if rule.rule == "package" and "default_visibility" in rule.values:
                    usual = rule.values["default_visibility"]
                elif not rule.rule or not rule.values.get("name", usual_name).is_whole:
                    self._notes.append(Note(path, f"line {rule.line}: not a call of literals"))
                elif rule.rule == "package_group":
                    self.groups[f"//{folder}:{rule.name}"] = PackageGroup(
                        tuple(
                            self._rule_of(name, folder, root)
                            for name in rule.values.get("packages", BuildValue()).texts
                        ),
                        tuple(
                            self._label(name, folder, root)
                            for name in rule.values.get("includes", BuildValue()).texts
                        ),
                    )
                elif rule.rule not in _NO_TARGETS and (rule.name or is_pants):
                    label = f"//{folder}:{rule.name or folder_name(folder)}"
                    given = _TargetRule(label, rule, path, folder, root, is_pants, usual)
                    self._targets.setdefault(label, given)
        except ManifestError as error:
            self._notes.append(Note(path, str(error)))

    def _package(self, written: _TargetRule) -> TreePackage:
        rule, folder = written.rule, written.folder
        requires: dict[str, None] = {}
        outside: dict[str, None] = {}
        files: dict[str, None] = {}
        unread = rule.unread
        for name, value in rule.values.items():
            is_pants_edge = name == _PANTS_EDGES
            for text in value.texts if name not in _NO_EDGES else ():
                path = below(folder, text.removeprefix(":"))
                if not text.startswith("//") and self._is_own(path, folder):
                    files[path] = None
                    continue
                is_label = text.startswith((":", "//", "@"))
                if not (is_label or is_pants_edge or name in _BARE):
                    continue
                label = self._label(text, folder, written.root, is_path=is_pants_edge)
                if label in self._targets:
                    requires[label] = None
                elif is_label and label[2:].replace(":", "/").lstrip("/") not in self._tree.files:
                    outside[text] = None
            globs = [*value.globs]
            if name in _PANTS_FILES and written.is_pants:
                globs.append(_signed(value.texts))
            for glob in globs:
                matching = self._matching(folder, glob)
                files.update(dict.fromkeys(matching or ()))
                unread += [name] if matching is None else []
        usual = _PANTS_USUAL.get(rule.rule) if written.is_pants else None
        if usual and rule.values.keys().isdisjoint(_PANTS_FILES):
            files.update(dict.fromkeys(self._matching(folder, usual) or ()))
        requires.pop(written.label, None)
        return TreePackage(
            written.label,
            rule.rule,
            folder,
            written.path,
            rule.line,
            short_names=(written.label.rpartition(":")[2],),
            requires=(*requires,),
            outside=(*outside,),
            files=frozenset(files),
            visibility=self._visibility(written),
            unread=(*dict.fromkeys(unread),),
        )

    def _visibility(self, written: _TargetRule) -> tuple[str, ...] | None:
        value = written.rule.values.get("visibility", written.visibility)
        if value is None or not value.is_whole:
            return None
        return tuple(self._rule_of(text, written.folder, written.root) for text in value.texts)

    def _rule_of(self, text: str, folder: str, root: str) -> str:
        """A rule of visibility from the root of the repository; public and private ones as such."""
        sign = "-" if text.startswith("-") else ""
        plain = text.removeprefix(sign)
        if plain.startswith("//") and not plain.startswith("//visibility:"):
            return f"{sign}//{below(root, plain[2:])}"
        return self._label(plain, folder, root) if plain.startswith(":") else text

    def _is_own(self, path: str, folder: str) -> bool:
        if path not in self._tree.files:
            return False
        around = path.rpartition("/")[0]
        return next((at for at in ancestors(around) if at in self._built), None) == folder

    @staticmethod
    def _label(text: str, folder: str, root: str, *, is_path: bool = False) -> str:
        """The label of a target from the root of the repository; of another repository as it is."""
        plain = text.lstrip("@") if text.startswith(("@//", "@@//")) else text
        if plain.startswith("@"):
            return plain
        if plain.startswith("//"):
            place, _, name = plain[2:].partition(":")
        elif plain.startswith(":") or not is_path:
            return f"//{folder}:{plain.removeprefix(':')}"
        else:
            place, _, name = plain.partition(":")
        place = below(root, place)
        return f"//{place}:{name or folder_name(place)}"

    def _matching(
        self, folder: str, glob: tuple[tuple[str, ...], tuple[str, ...]]
    ) -> list[str] | None:
        """The files of a folder that a glob takes; None for one over the limits."""
        taken, left = glob
        own = self._own.get(folder, ())
        self._left -= len(own) * (len(taken) + len(left))
        if self._left < 0:
            return None
        try:
            one_of, none_of = [*map(_compiled, taken)], [*map(_compiled, left)]
        except GlobError:
            return None
        return [
            below(folder, path)
            for path in own
            if any(matches(path) for matches in one_of)
            and not any(matches(path) for matches in none_of)
        ]


def _build_files(names: Sequence[str]) -> Iterator[str]:
    """The build files of a folder: of both of Bazel's the one that it reads."""
    build_names = _NAMES.intersection(names)
    return (name for name in sorted(build_names) if not (name == "BUILD" and _BAZEL in build_names))


def _signed(texts: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The patterns of `sources` of Pants, of which those with `!` are left out."""
    written = [*texts]
    left = tuple(text[1:] for text in written if text.startswith("!"))
    return tuple(text for text in written if not text.startswith("!")), left


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Callable[[str], bool]:
    """The test of paths in a folder; unlike elsewhere a name is one of this folder alone."""
    glob = Glob(pattern)
    if "/" in pattern:
        return glob.matches
    return lambda path: "/" not in path and glob.matches(path)
