"""The commands and entry points that the manifests of a repository declare.

A table has what the names of manifests say; their texts are read for names alone, and nothing of
them is run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from code_graph.projects.manifests.values import (
    ini_options,
    json_table,
    table_of,
    text_of,
    toml_table,
)
from code_graph.projects.model import ManifestError
from index_format.tuples import NamedTuple
from repo_mcp.answers.tour import BUILD, CHECK, RUN, TEST

# a name that a program begins with, where that is no command
ENTRY: Final = "entry"
# characters of a command
_LONGEST: Final = 80
# what the first word of a script, target or task says of it
_PURPOSES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("test", "tests", "spec", "unittest"), TEST),
    **dict.fromkeys(("build", "compile", "dist", "package", "bundle"), BUILD),
    **dict.fromkeys(("start", "dev", "serve", "server", "run", "develop", "up"), RUN),
    **dict.fromkeys(("lint", "check", "typecheck", "format", "fmt", "verify"), CHECK),
}
_FIRST_WORD: Final = re.compile(r"[A-Za-z]+")
# a rule of make with its targets, and not an assignment
_MAKE_RULE: Final = re.compile(r"^([A-Za-z0-9][\w.\- ]*?)\s*::?(?![=:])", re.MULTILINE)
_RECIPE: Final = re.compile(r"^@?([A-Za-z][\w-]*)[^:\n]*:(?!=)", re.MULTILINE)
_TASK: Final = re.compile(r"^  ([A-Za-z][\w:-]*):\s*(?:$|#)", re.MULTILINE)
_PROCESS: Final = re.compile(r"^([A-Za-z][\w-]*):\s*(\S[^\n]*)", re.MULTILINE)
_IMAGE_COMMAND: Final = re.compile(
    r"^(?:ENTRYPOINT|CMD)\s+(\S[^\n]*)", re.MULTILINE | re.IGNORECASE
)
_IS_PROGRAM: Final = re.compile(r"<OutputType>\s*(?:Win)?Exe|Sdk=\"Microsoft\.NET\.Sdk\.Web\"")
_TESTS_ENABLED: Final = re.compile(r"^\s*enable_testing\s*\(", re.MULTILINE | re.IGNORECASE)
_LOCKED_BY: Final = (
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
)


class ManifestText(NamedTuple):
    """A manifest that is read, and the names of files beside it and in the root."""

    path: str
    text: str
    beside: frozenset[str]
    in_root: frozenset[str]

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.path.rpartition("/")[2]

    def has(self, name: str) -> bool:
        """True if a file of this name is beside the manifest or in the root."""
        return name in self.beside or name in self.in_root


class ManifestEntry(NamedTuple):
    """A command with its purpose, or an entry point."""

    purpose: str
    text: str


Reader = Callable[[ManifestText], Iterable[ManifestEntry]]


def declared_in(manifest: ManifestText) -> list[ManifestEntry]:
    """The commands and entry points of a manifest, each once; none of one that can't be read."""
    found: dict[ManifestEntry, None] = {}
    for pattern, reader in _TABLE:
        if pattern.fullmatch(manifest.name):
            try:
                found.update(dict.fromkeys(reader(manifest)))
            except ManifestError:
                continue
    return [item._replace(text=item.text[:_LONGEST].strip()) for item in found]


def is_listed(name: str) -> bool:
    """True if the table knows files of this name."""
    return _ANY.fullmatch(name) is not None


def _always(*rows: tuple[str, str]) -> Reader:
    """The reader of a manifest that is there for these commands."""
    return lambda _: (ManifestEntry(*row) for row in rows)


def _named(names: Iterable[str], command: str) -> Iterator[ManifestEntry]:
    """Scripts by their names: of each purpose those that are named for it, the shortest first."""
    purposes: dict[str, list[str]] = {}
    for name in names:
        first = _FIRST_WORD.match(name)
        purpose = _PURPOSES.get(first[0].lower()) if first else None
        if purpose:
            purposes.setdefault(purpose, []).append(name)
    for purpose, listed in purposes.items():
        for name in sorted(listed, key=len)[:_MOST_NAMED]:
            yield ManifestEntry(purpose, f"{command} {name}")


_MOST_NAMED: Final = 3


def _package_json(manifest: ManifestText) -> Iterator[ManifestEntry]:
    whole = json_table(manifest.text)
    program = next((name for lock, name in _LOCKED_BY if manifest.has(lock)), "npm")
    yield from _named(table_of(whole, "scripts"), f"{program} run")
    programs = whole.get("bin")
    for name in programs if isinstance(programs, dict) else [whole.get("name")] if programs else ():
        yield ManifestEntry(ENTRY, text_of(name))
    yield ManifestEntry(ENTRY, text_of(whole.get("main")).removeprefix("./"))


def _pyproject(manifest: ManifestText) -> Iterator[ManifestEntry]:
    whole = toml_table(manifest.text)
    tool = table_of(whole, "tool")
    runner = (
        "uv run "
        if manifest.has("uv.lock")
        else "poetry run "
        if manifest.has("poetry.lock")
        else ""
    )
    for table in (table_of(whole, "project", "scripts"), table_of(tool, "poetry", "scripts")):
        yield from (ManifestEntry(ENTRY, text_of(name)) for name in table)
    if table_of(tool, "pytest"):
        yield ManifestEntry(TEST, f"{runner}pytest")
    if table_of(tool, "tox") or "tox.ini" in manifest.beside:
        yield ManifestEntry(TEST, "tox")
    for name, program in (("ruff", "ruff check"), ("mypy", "mypy"), ("pyright", "pyright")):
        yield from [ManifestEntry(CHECK, runner + program)] if table_of(tool, name) else ()
    yield from _named(table_of(tool, "poe", "tasks"), f"{runner}poe")
    yield from _named(table_of(tool, "pdm", "scripts"), "pdm run")
    for environment in table_of(tool, "hatch", "envs").values():
        yield from _named(table_of(environment, "scripts"), "hatch run")
    if "build-system" in whole:
        yield ManifestEntry(BUILD, "uv build" if manifest.has("uv.lock") else "python -m build")


def _setup_cfg(manifest: ManifestText) -> Iterator[ManifestEntry]:
    for section, option, lines in ini_options(manifest.text):
        if section == "tool:pytest":
            yield ManifestEntry(TEST, "pytest")
        if (section, option) == ("options.entry_points", "console_scripts"):
            yield from (ManifestEntry(ENTRY, line.partition("=")[0].strip()) for line in lines)


def _makefile(manifest: ManifestText) -> Iterator[ManifestEntry]:
    targets = (name for names in _MAKE_RULE.findall(manifest.text) for name in names.split())
    return _named(dict.fromkeys(targets), "make")


def _composer(manifest: ManifestText) -> Iterator[ManifestEntry]:
    return _named(table_of(json_table(manifest.text), "scripts"), "composer")


def _deno(manifest: ManifestText) -> Iterator[ManifestEntry]:
    return _named(table_of(json_table(manifest.text, comments=True), "tasks"), "deno task")


def _matching(pattern: re.Pattern[str], command: str) -> Reader:
    """The reader of recipes and tasks by a pattern of their names."""
    return lambda manifest: _named(dict.fromkeys(pattern.findall(manifest.text)), command)


def _cargo(manifest: ManifestText) -> Iterator[ManifestEntry]:
    whole = toml_table(manifest.text)
    yield ManifestEntry(BUILD, "cargo build")
    yield ManifestEntry(TEST, "cargo test --workspace" if "workspace" in whole else "cargo test")
    for program in whole.get("bin") or ():
        yield ManifestEntry(ENTRY, text_of(table_of(program).get("name")))


def _maven(manifest: ManifestText) -> Iterator[ManifestEntry]:
    program = "./mvnw" if manifest.has("mvnw") else "mvn"
    return iter(
        (ManifestEntry(BUILD, f"{program} package"), ManifestEntry(TEST, f"{program} test"))
    )


def _gradle(manifest: ManifestText) -> Iterator[ManifestEntry]:
    program = "./gradlew" if manifest.has("gradlew") else "gradle"
    yield ManifestEntry(BUILD, f"{program} build")
    yield ManifestEntry(TEST, f"{program} test")
    if re.search(r"\bmainClass(?:Name)?\b|org\.springframework\.boot", manifest.text):
        is_spring = "springframework.boot" in manifest.text
        yield ManifestEntry(RUN, f"{program} {'bootRun' if is_spring else 'run'}")


def _solution(manifest: ManifestText) -> Iterator[ManifestEntry]:
    return iter(
        (
            ManifestEntry(BUILD, f"dotnet build {manifest.name}"),
            ManifestEntry(TEST, f"dotnet test {manifest.name}"),
        )
    )


def _dotnet_project(manifest: ManifestText) -> Iterator[ManifestEntry]:
    if _IS_PROGRAM.search(manifest.text):
        yield ManifestEntry(RUN, f"dotnet run --project {manifest.name}")
        yield ManifestEntry(ENTRY, manifest.name.rpartition(".")[0])


def _cmake(manifest: ManifestText) -> Iterator[ManifestEntry]:
    yield ManifestEntry(BUILD, "cmake -B build && cmake --build build")
    if _TESTS_ENABLED.search(manifest.text):
        yield ManifestEntry(TEST, "ctest --test-dir build")


def _gemfile(manifest: ManifestText) -> Iterator[ManifestEntry]:
    if re.search(r"""gem\s+['"]rspec""", manifest.text) or ".rspec" in manifest.beside:
        yield ManifestEntry(TEST, "bundle exec rspec")
    elif re.search(r"""gem\s+['"]rails['"]""", manifest.text):
        yield ManifestEntry(TEST, "bin/rails test")
    if re.search(r"""gem\s+['"]rails['"]""", manifest.text):
        yield ManifestEntry(RUN, "bin/rails server")


def _dockerfile(manifest: ManifestText) -> Iterator[ManifestEntry]:
    commands = _IMAGE_COMMAND.findall(manifest.text)
    # the last stage is the image
    yield from (ManifestEntry(ENTRY, f"image: {text}") for text in commands[-1:])


def _procfile(manifest: ManifestText) -> Iterator[ManifestEntry]:
    return (ManifestEntry(RUN, command.strip()) for _, command in _PROCESS.findall(manifest.text))


# names of manifests, and what they say
_TABLE: Final[tuple[tuple[re.Pattern[str], Reader], ...]] = tuple(
    (re.compile(pattern), reader)
    for pattern, reader in (
        (r"package\.json", _package_json),
        (r"pyproject\.toml", _pyproject),
        (r"setup\.cfg", _setup_cfg),
        (r"pytest\.ini", _always((TEST, "pytest"))),
        (r"tox\.ini", _always((TEST, "tox"))),
        (r"noxfile\.py", _always((TEST, "nox"))),
        (
            r"manage\.py",
            _always((RUN, "python manage.py runserver"), (TEST, "python manage.py test")),
        ),
        (r"(?:GNU)?[Mm]akefile", _makefile),
        (r"\.?[Jj]ustfile", _matching(_RECIPE, "just")),
        (r"[Tt]askfile\.ya?ml", _matching(_TASK, "task")),
        (r"Cargo\.toml", _cargo),
        (r"go\.mod", _always((BUILD, "go build ./..."), (TEST, "go test ./..."))),
        (r".+\.slnx?", _solution),
        (r".+\.(?:cs|fs|vb)proj", _dotnet_project),
        (r"build\.gradle(?:\.kts)?", _gradle),
        (r"pom\.xml", _maven),
        (r"build\.sbt", _always((BUILD, "sbt compile"), (TEST, "sbt test"))),
        (r"Package\.swift", _always((BUILD, "swift build"), (TEST, "swift test"))),
        (r"CMakeLists\.txt", _cmake),
        (
            r"meson\.build",
            _always((BUILD, "meson setup build && ninja -C build"), (TEST, "meson test -C build")),
        ),
        (r"Gemfile", _gemfile),
        (r"Rakefile", _always((TEST, "rake"))),
        (r"composer\.json", _composer),
        (r"phpunit\.xml(?:\.dist)?", _always((TEST, "vendor/bin/phpunit"))),
        (r"mix\.exs", _always((BUILD, "mix compile"), (TEST, "mix test"))),
        (r"deno\.jsonc?", _deno),
        (r"pubspec\.yaml", _always((TEST, "dart test"))),
        (r"build\.zig", _always((BUILD, "zig build"), (TEST, "zig build test"))),
        (r".+\.cabal", _always((BUILD, "cabal build"), (TEST, "cabal test"))),
        (
            r"(?:MODULE\.bazel|WORKSPACE(?:\.bazel)?)",
            _always((BUILD, "bazel build //..."), (TEST, "bazel test //...")),
        ),
        (r"(?:.+\.)?Dockerfile|Dockerfile\..+", _dockerfile),
        (r"Procfile(?:\.\w+)?", _procfile),
        (r"(?:docker-)?compose\.ya?ml", _always((RUN, "docker compose up"))),
    )
)
_ANY: Final = re.compile("|".join(f"(?:{pattern.pattern})" for pattern, _ in _TABLE))
