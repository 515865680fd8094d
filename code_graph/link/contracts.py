"""Joins the two sides of contracts: an edge from each use of a text to the files that give it.

Both sides are looked for by key, and so is what was not there: a file is linked again when another
one begins to give a text that it uses.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from posixpath import dirname, join, normpath
from typing import Final, TypeAlias

from code_graph.contracts.keys import (
    ACTION,
    ANY,
    ASKED,
    BINDING,
    FILE_ROUTES,
    FILES,
    GIVEN,
    HANDED,
    LIKELY,
    MADE,
    MEMBER,
    MEMBER_TEXT,
    METHODS,
    MODELLED,
    MOUNT,
    NAMED_ROUTE,
    NATIVE,
    ROUTE,
    ROUTE_NAME,
    SETTING,
    TABLE,
    TEMPLATE,
    TESTED,
    TEXT,
    WRAPPER,
    may_answer,
    member_names,
    module_key,
    mounted_keys,
    plain_key,
    route_key,
    wanted_keys,
)
from code_graph.contracts.made_paths import filled_path
from code_graph.contracts.paths import answering, route_of
from code_graph.contracts.templates import CALLED
from code_graph.evaluate.definitions import Definition, Finder
from code_graph.evaluate.dependencies import imports_key, language_key
from code_graph.evaluate.engine import Engine
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import ClassValue, Instance
from code_graph.expressions import NONE, BindingKind, Contract, ContractRole, Op, ScopeKind
from code_graph.language_table import language_named, names_with
from code_graph.link.exports import has_tests
from code_graph.link.focus import NAMING
from code_graph.link.places import Places
from code_graph.link.shared_names import given_by
from code_graph.model import FILE, EdgeType, Strategy
from code_graph.paths.path_kinds import is_test

# of each kind, the type of its edges and how they are said to be found
KINDS: Final = {
    "route": (EdgeType.CALLS, Strategy.ROUTE),
    "message": (EdgeType.CALLS, Strategy.MESSAGE),
    # within a program, where many emitters have events of one name
    "event": (EdgeType.CALLS, Strategy.FRAMEWORK),
    "rpc": (EdgeType.CALLS, Strategy.RPC),
    "procedure": (EdgeType.CALLS, Strategy.RPC),
    "native": (EdgeType.CALLS, Strategy.NATIVE),
    "endpoint": (EdgeType.REFERENCES, Strategy.ROUTE),
    # a function that makes a page, by the name of its holder and a text
    "view": (EdgeType.REFERENCES, Strategy.TEMPLATE),
    "model": (EdgeType.REFERENCES, Strategy.TABLE),
    "entity": (EdgeType.REFERENCES, Strategy.TABLE),
    "option": (EdgeType.REFERENCES, Strategy.SETTING),
    TEMPLATE: (EdgeType.REFERENCES, Strategy.TEMPLATE),
    "table": (EdgeType.REFERENCES, Strategy.TABLE),
    "setting": (EdgeType.REFERENCES, Strategy.SETTING),
}
# a text that more places give is no sign of one of them
_MOST_GIVING: Final = 8
# of a procedure there are a description for each service, what implements it, and generated code
_MOST_DESCRIBED: Final = 24

_WITH_METHOD: Final = 2

_FUNCTION: Final = "function"
# requests are below few paths of other files
_MOST_VARIANTS: Final = 8
# files of tests that are looked through for those that a file imports
_MOST_REACHED: Final = 64
# kinds by which a server answers
_ANSWERING: Final = frozenset({ROUTE, LIKELY, MOUNT})
# kinds of which all places count, wherever they are
_EVERYWHERE: Final = frozenset({"rpc", "message", "event"})
# folders that hold parts of a repository and say nothing of one
_CONTAINERS: Final = frozenset(
    ("src", "apps", "packages", "services", "libs", "projects", "modules", "cmd")
)

# folders of images that hold none of the code which runs in them
_IMAGES: Final = frozenset(
    [
        "docker",
        "dockerfiles",
        "build",
        "deploy",
        "deployment",
        "deployments",
        "images",
        "ci",
        ".devcontainer",
    ]
)
# endings of files that a server runs for a request of their path
_SCRIPTS: Final = (".php", ".jsp", ".aspx", ".ashx", ".cgi", ".pl")
# folders that names of pages are below
_ROOTS: Final = frozenset(("templates", "views", "pages", "template", "view"))

# declarations and the files that give them, by what they are
Targets: TypeAlias = dict[tuple[str, int], tuple[Definition, str]]
# what finds the definitions in files of a language
FindDefinitions = Callable[[str], Finder | None]


class ContractEdges:
    """Makes the edges of contracts; `finder` gives what finds the definitions of a language."""

    def __init__(self, engine: Engine, finder: FindDefinitions) -> None:
        self._engine = engine
        self._finder = finder
        # of the file that edges are made for
        self._path = ""
        self._helps_tests = False

    @cached_property
    def _by_route(self) -> Mapping[str, Sequence[str]]:
        """The paths of files that answer requests of a path which is their own, ascending."""
        paths: defaultdict[str, list[str]] = defaultdict(list)
        for path in sorted(self._engine.files.paths):
            paths[route_of(path)].append(path)
        paths.pop("", None)
        return paths

    def add(self, file: SourceFile, places: Places) -> None:
        """Add the edges of one file, as far as its limits allow."""
        self._path = file.path
        self._helps_tests = is_test(file.path) and not has_tests(file)
        for item in file.code.contracts:
            if item.role == ContractRole.GIVES:
                continue
            if not self._engine.begin_place():
                return
            if item.role == ContractRole.RUNS:
                # the head of a function is no use of it: what marks it is
                place = item.place if item.handler in file.declared_at else item.handler
                for found in self._handlers(file, item, Strategy.FRAMEWORK):
                    places.add(item.declaration, found, EdgeType.CALLS, place)
            else:
                self._add_use(file, item, places)
        self._of_modules(file, places)

    def _add_use(self, file: SourceFile, item: Contract, places: Places) -> None:
        """Add the edges of one use, by its kind."""
        if item.kind == HANDED:
            for use in self._wrapped(file, item):
                for found in self._given(file, use, Strategy.ROUTE):
                    places.add(item.declaration, found, EdgeType.CALLS, item.place)
        elif item.kind == BINDING:
            self._bound(file, item, places)
        elif item.kind == TESTED:
            if is_test(file.path):
                self._only_route(file, item, places)
        elif item.kind == ASKED:
            if not any(self._functions_named(file, item)):
                self._only_route(file, item._replace(handler_line=0, handler_column=0), places)
        elif item.kind in KINDS:
            kind, strategy = KINDS[item.kind]
            for found in self._given(file, self._spelled(file, item), strategy):
                if (found.path, found.declaration) != (file.path, item.declaration):
                    places.add(item.declaration, found, kind, item.place)

    def _wrapped(self, file: SourceFile, item: Contract) -> Iterator[Contract]:
        """The request that a function of another file makes of the path which it is given."""
        for found in self._named(file, item, Strategy.ROUTE):
            for method in (*METHODS, ANY):  # if it makes another one
                self._engine.depend_on("", language_key(WRAPPER, method))
            other = self._engine.file(found.path) if found.path != file.path else None
            for given in () if other is None else other.code.contracts:
                if given.kind == WRAPPER and given.declaration == found.declaration:
                    told, _, path = item.key.partition(" ")
                    method = given.key if told == ANY else told
                    yield item._replace(
                        kind=ROUTE, key=f"{method} {path}", handler_line=0, handler_column=0
                    )
                    return

    def _functions_named(self, file: SourceFile, item: Contract) -> Iterator[Definition]:
        """The functions and classes that the name of a handler means."""
        for found in self._handlers(file, item, Strategy.ROUTE) if item.handler_line else ():
            if self._is_a(found, ScopeKind.FUNCTION) or self._is_a(found, ScopeKind.CLASS):
                yield found

    def _only_route(self, file: SourceFile, item: Contract, places: Places) -> None:
        """Add the edges of what asks for a path in any way, if one handler has it."""
        kind, strategy = KINDS[ROUTE]
        found = self._given(file, item._replace(kind=ROUTE), strategy)
        # a class and its method that answers are one
        if len(found) == 1 or (
            len(found) == _WITH_METHOD and self._is_a(found[0], ScopeKind.CLASS)
        ):
            for each in found:
                places.add(item.declaration, each, kind, item.place)

    def _bound(self, file: SourceFile, item: Contract, places: Places) -> None:
        """Add the edges of a name in a template, to a member of its component or behind one."""
        is_called = item.key.endswith(CALLED)
        names = item.key.removesuffix(CALLED).split(".")
        for path, declaration in self._components(file, item):
            other = self._engine.file(path)
            scope = None if other is None else other.scope_of_declaration.get(declaration)
            finder = None if other is None else self._finder(other.language)
            if scope is None or finder is None:
                continue
            for found in finder.of_chain(Instance(path, scope), names):
                kind = EdgeType.REFERENCES
                if is_called and self._is_a(found, ScopeKind.FUNCTION):
                    kind = EdgeType.CALLS
                places.add(item.declaration, found, kind, item.place)

    def _components(self, file: SourceFile, item: Contract) -> Iterator[tuple[str, int]]:
        """The classes that a template is of, each by its file."""
        if item.declaration != NONE:
            yield file.path, item.declaration
            return
        for path in self._declaring(BINDING, file.path.rpartition("/")[2]):
            other = self._engine.file(path)
            for given in () if other is None else other.code.contracts:
                if (
                    given.kind == BINDING
                    and given.role == ContractRole.GIVES
                    and normpath(join(dirname(path), given.key)) == file.path
                ):
                    yield path, given.declaration

    def _is_a(self, found: Definition, kind: ScopeKind) -> bool:
        """True if a declaration has a scope of this kind: it is a class, or a function."""
        file = self._engine.file(found.path)
        scope = None if file is None else file.scope_of_declaration.get(found.declaration)
        return file is not None and scope is not None and file.kind(scope) == kind

    def _of_modules(self, file: SourceFile, places: Places) -> None:
        """Add edges to functions of imported modules that are written in another language."""
        if not language_named(file.language).native_modules:
            return
        modules = {
            item.alias or item.module: item.module
            for item in file.facts.imports
            if not item.name and any(self._declaring(NATIVE, module_key(item.module)))
        }
        for number, item in enumerate(file.expressions) if modules else ():
            if item.op != Op.MEMBER or file.expressions[item.of].op != Op.NAME:
                continue
            module = modules.get(file.expressions[item.of].name)
            if module:
                source = file.owner(file.code.scope_of[number])
                name = f"{module}.{item.name}"
                place = item.line, item.column
                use = Contract(ContractRole.USES, NATIVE, name, source, *place)
                for found in self._given(file, use, Strategy.NATIVE):
                    places.add(source, found, EdgeType.CALLS, place)

    def _functions(self, name: str) -> Targets:
        """Functions that any language may call by their names."""
        found: Targets = {}
        for language in sorted(names_with("linked_as")):
            shared = language_named(language).linked_as.format(name)
            for path in self._engine.declaring(language, shared):
                file = self._engine.file(path)
                for number, row in enumerate(() if file is None else file.declarations):
                    if row.name == name and row.kind == _FUNCTION:
                        each = Definition(path, number, Strategy.NATIVE)
                        found[path, number] = each, path
        return found

    def _spelled(self, file: SourceFile, use: Contract) -> Contract:
        """A use with the text of the constant that it names, if it names one."""
        made = self._made(file, use)
        if made is not None:  # the text of an argument is no path by itself
            return use._replace(key=route_key(use.key, made) if use.handler_line else "")
        if not use.handler_line:
            return use
        for found in self._named(file, use, Strategy.ROUTE):
            other = self._engine.file(found.path)
            for item in () if other is None else other.code.contracts:
                if item.kind == TEXT and item.declaration == found.declaration:
                    self._engine.depend_on("", language_key(TEXT, item.key))
                    return use._replace(
                        key=route_key(use.key, item.key)
                        if use.kind == ROUTE
                        else plain_key(use.kind, item.key)
                    )
        text = self._member_text(file, use) if use.kind == ROUTE else ""
        return use._replace(key=route_key(use.key, text) if text else "")

    def _made(self, file: SourceFile, use: Contract) -> str | None:
        """The path that a function makes of what a request gives it; None if it makes none."""
        rows = file.cached("given to functions", _given_to)
        given = rows.get(use.place) if use.kind == ROUTE else None
        for found in () if given is None else self._named(file, given, Strategy.ROUTE):
            other = self._engine.file(found.path)
            if other is None or found.declaration == FILE:
                continue
            name = other.declarations[found.declaration].name
            self._engine.depend_on("", language_key(MADE, name))
            for item in _given_in(other, MADE, name):
                if given is not None and item.declaration == found.declaration:
                    return filled_path(item.key, given.key)
        return None

    def _member_text(self, file: SourceFile, use: Contract) -> str:
        """The text of a member of an object in which only what holds it is a declaration."""
        number, finder = file.name_at.get(use.handler, NONE), self._finder(file.language)
        names = ""
        while number != NONE and finder is not None:
            item = file.expressions[number]
            for found in finder.of(file, number) if names and item.op in NAMING else ():
                other = self._engine.file(found.path)
                for given in () if other is None else other.code.contracts:
                    told, _, text = given.key.partition(" ")
                    is_own = given.kind == MEMBER_TEXT and given.declaration == found.declaration
                    if is_own and told == names:
                        self._engine.depend_on("", language_key(MEMBER_TEXT, given.key))
                        return text
            if item.op != Op.MEMBER:
                break
            names = f"{item.name}.{names}" if names else item.name
            number = item.of
        return ""

    def _given(self, file: SourceFile, use: Contract, strategy: Strategy) -> list[Definition]:
        """The declarations that give what is used, nearest first where several do."""
        if not use.key:
            return []
        if use.kind == TEMPLATE:
            pages = self._pages(use.key, strategy)
            for folder in _own_folders(file.path) if "/" not in use.key else ():
                pages = pages or self._pages(f"{folder}/{use.key}", strategy)
            return self._chosen(file, use, pages)
        for count, keys in enumerate(wanted_keys(use.kind, use.key)):
            if count == 1 and use.kind == ROUTE:
                mounted = self._mounted(use, strategy)
                if mounted:
                    return self._chosen(file, use, mounted)
            found = self._with_keys(use, keys, strategy)
            if count and use.kind != ROUTE:  # a name of a module
                found = _in_module(found, use.key)
            if found:
                return self._chosen(file, use, found)
        if use.kind == ROUTE:
            answering = self._of_files(use.key, strategy) or self._scripts(use.key, strategy)
            return self._chosen(file, use, answering)
        return self._chosen(file, use, self._functions(use.key)) if use.kind == NATIVE else []

    def _of_files(self, key: str, strategy: Strategy) -> Targets:
        """The functions that answer in files whose paths are those of their routes."""
        found: Targets = {}
        method = key.partition(" ")[0]
        for keys in wanted_keys(ROUTE, key.removesuffix("/index")):
            for one in keys:
                self._engine.depend_on("", language_key(FILE_ROUTES, one.partition(" ")[2]))
                for path in self._by_route.get(one.partition(" ")[2], ()):
                    other = self._engine.file(path)
                    for number in (
                        () if other is None else answering(path, other.declarations, method)
                    ):
                        each = Definition(path, number, strategy)
                        found[path, number] = each, path
            if found:
                break
        functions = {key: row for key, row in found.items() if key[1] != FILE}
        return functions or found

    def _scripts(self, key: str, strategy: Strategy) -> Targets:
        """The files that answer by themselves: `/shop/login.php`."""
        path = key.partition(" ")[2]
        return self._pages(path.strip("/"), strategy) if path.endswith(_SCRIPTS) else {}

    def _with_keys(self, use: Contract, keys: list[str], strategy: Strategy) -> Targets:
        giving: list[tuple[SourceFile, Contract]] = []
        for key in keys:
            for path in self._declaring(use.kind, key):
                other = self._engine.file(path)
                if other is None:
                    continue
                giving += [
                    (other, item)
                    for item in _given_in(other, use.kind, key)
                    if use.kind != ROUTE or may_answer(item.key, use.key)
                ]
        if use.kind == ROUTE and not giving:
            giving = [*self._likely(use, keys)] or [*self._named_routes(keys)]
        if use.kind == TABLE and not giving:
            giving = [row for row in self._modelled(keys) if row[1].place != use.place]
        if use.kind == ROUTE and len(giving) > 1:
            giving = _in_service(_least_before(giving, use.key), use.key)
        found: Targets = {}
        for other, item in giving:
            for each in self._target(other, item, strategy):
                for one in self._members(each, item.key, use):
                    found[one.path, one.declaration] = one, other.path
        return found

    def _modelled(self, keys: list[str]) -> Iterator[tuple[SourceFile, Contract]]:
        """The models of a table that no schema gives."""
        for key in keys:
            for path in self._declaring(MODELLED, key):
                other = self._engine.file(path)
                if other is not None:
                    yield from ((other, item) for item in _given_in(other, MODELLED, key))

    def _likely(self, use: Contract, keys: list[str]) -> Iterator[tuple[SourceFile, Contract]]:
        """Calls that have a path and are handed a function; mocks of tests are none."""
        for key in keys:
            for path in self._declaring(LIKELY, key):
                other = None if is_test(path) else self._engine.file(path)
                if other is not None:
                    likely = self._handed_function(other, [key])
                    yield from ((other, item) for item in likely if may_answer(item.key, use.key))

    def _named_routes(self, keys: list[str]) -> Iterator[tuple[SourceFile, Contract]]:
        """Routes whose path is a constant of this text."""
        for key in keys:
            method, _, text = key.partition(" ")
            for path in self._declaring(TEXT, text) if not method.startswith("…") else ():
                other = self._engine.file(path)
                for item in () if other is None else _given_in(other, TEXT, text):
                    name = other.declarations[item.declaration].name if other else ""
                    constant = path, item.declaration
                    yield from self._named_by(f"{method} {name}", constant)

    def _named_by(
        self, key: str, constant: tuple[str, int]
    ) -> Iterator[tuple[SourceFile, Contract]]:
        """The routes that name a constant, by their method and its name."""
        for path in self._declaring(NAMED_ROUTE, key):
            file = None if is_test(path) else self._engine.file(path)
            for item in () if file is None else _given_in(file, NAMED_ROUTE, key):
                for one in file.code.contracts if file else ():
                    if file and one.kind == ROUTE_NAME and one.place == item.place:
                        named = self._named(file, one, Strategy.ROUTE)
                        if any((it.path, it.declaration) == constant for it in named):
                            yield file, item

    def _handed_function(self, file: SourceFile, keys: Iterable[str]) -> list[Contract]:
        """The calls of a file that have one of these paths and are handed a function."""
        return [
            item
            for key in keys
            for item in _given_in(file, LIKELY, key)
            if not item.handler_line or any(self._functions_named(file, item))
        ]

    def _pages(self, name: str, strategy: Strategy) -> Targets:
        """The pages of a name, with or without their ending."""
        found: Targets = {}
        for path in self._files_named(name):
            found[path, FILE] = Definition(path, FILE, strategy), path
        return found

    def _files_named(self, name: str) -> Iterator[str]:
        """The files of a path, or of a module that a text names.

        One word alone names a file in a folder of pages.
        """
        is_path = bool(set("./:") & {*name})
        dotted = name.replace(".", "/").replace("::", "/")
        for likely in dict.fromkeys((name, dotted, f"{name}/index")):
            parts = [part for part in likely.split("/") if part not in {"", ".", "..", "~"}]
            stem = parts[-1].partition(".")[0].lstrip("_") if parts else ""
            self._engine.depend_on("", language_key(FILES, stem))
            known = self._engine.files.by_stem.get(stem, ()) if stem else ()
            paths = [path for path in known if _is_named(path, parts)]
            if paths:
                rooted = [path for path in paths if _root_of(path, parts) in _ROOTS]
                yield from rooted or (paths if is_path else ())
                return

    def _members(self, target: Definition, given: str, use: Contract) -> Iterator[Definition]:
        """A handler; of a class also its method that answers a request."""
        file = self._engine.file(target.path) if use.kind == ROUTE else None
        scope = None if file is None else file.scope_of_declaration.get(target.declaration)
        if file is not None and scope is not None and file.kind(scope) == ScopeKind.CLASS:
            finder = self._finder(file.language)
            for name in member_names(given, use.key):
                found = [] if finder is None else [*_members_of(finder, file, scope, name)]
                if found:
                    yield target
                    yield from (each._replace(strategy=target.strategy) for each in found)
                    return
        if not given.endswith(MEMBER):
            yield target

    def _declaring(self, kind: str, key: str) -> Iterable[str]:
        paths = self._engine.declaring(kind, key)
        return paths if kind not in _ANSWERING else [p for p in paths if not self._is_apart(p)]

    def _is_apart(self, path: str) -> bool:
        """True for tests of another file: what answers there is asked where one reaches the other.

        Each of such files makes its own server.
        """
        other = self._engine.file(path) if path != self._path and is_test(path) else None
        if other is None:
            return False
        self._engine.depend_on(path, imports_key(path))
        if not has_tests(other) or path in self._reached(self._path):
            return False
        return not self._helps_tests or self._path not in self._reached(path)

    def _reached(self, path: str) -> frozenset[str]:
        """A file, and the files of tests that it imports, directly or by others."""
        key = ("tests reached", path)
        return self._engine.unit(key, lambda: self._find_reached(path), frozenset())

    def _find_reached(self, path: str) -> frozenset[str]:
        reached = {path}
        left = [path]
        while left and len(reached) < _MOST_REACHED:
            file = self._engine.file(left.pop())
            for other in () if file is None else self._imported(file):
                if other not in reached and is_test(other):
                    reached.add(other)
                    left.append(other)
        return frozenset(reached)

    def _imported(self, file: SourceFile) -> Iterator[str]:
        """The files that a file imports."""
        finder = self._finder(file.language)
        self._engine.depend_on(file.path, imports_key(file.path))
        if finder is None:
            return
        for binding in file.code.bindings:
            if binding.kind == BindingKind.IMPORTED and binding.value != NONE:
                yield from (found.path for found in finder.of_import(file, binding))
        for number in range(len(file.facts.imports)):
            yield from (found.path for found in finder.of_module(file, number))

    def _chosen(self, file: SourceFile, use: Contract, found: Targets) -> list[Definition]:
        """The declarations in the nearest folders; none if there are too many of them."""
        if use.kind == SETTING:
            images = [
                path.removesuffix("Dockerfile")
                for path in self._engine.files.by_stem.get("Dockerfile", ())
                if path.endswith("/Dockerfile")
            ]
            found = {key: row for key, row in found.items() if _runs(row[1], file.path, images)}
        if len(found) > 1 and use.kind not in _EVERYWHERE:
            near = {key: closeness(file.path, path) for key, (_, path) in found.items()}
            nearest = max(near.values())
            found = {key: value for key, value in found.items() if near[key] == nearest}
        most = _MOST_DESCRIBED if use.kind in _EVERYWHERE else _MOST_GIVING
        return [each for each, _ in found.values()] if len(found) <= most else []

    def _mounted(self, use: Contract, strategy: Strategy) -> Targets:
        """Handlers of a request in files whose routes are below a path of another file."""
        method, _, path = use.key.partition(" ")
        segments = [part for part in path.split("/") if part]
        for start in range(len(segments)):
            for end in range(len(segments), start, -1):
                key = f"/{'/'.join(segments[start:end])}"
                rest = f"{method} /{'/'.join(segments[end:])}"
                found = self._below(use, key, rest, strategy)
                if not found and not start:  # the client adds the beginning
                    found = self._below(use, f"…{key}", rest, strategy)
                if found:
                    return found
        return {}

    def _below(self, use: Contract, mount: str, rest: str, strategy: Strategy) -> Targets:
        """Handlers of the rest of a path in the files that are mounted there."""
        files: dict[str, set[int]] = {}
        made: Targets = {}
        for giving in self._declaring(MOUNT, mount):
            file = self._engine.file(giving)
            for item in () if file is None else _given_in(file, MOUNT, mount):
                below = [*self._mounted_files(giving, item, strategy)]
                for path, declaration in below:
                    files.setdefault(path, set()).add(declaration)
                if not below and rest.endswith(" /"):  # a handler that a library makes
                    each = Definition(giving, item.declaration, strategy)
                    made[giving, item.declaration] = each, giving
        answers: Targets = {}
        for keys in islice(mounted_keys(rest), _MOST_VARIANTS) if files else ():
            for kind in (ROUTE, LIKELY):
                for key in keys:
                    self._engine.depend_on("", language_key(kind, key))
            for path, holders in files.items():
                for one in self._answering(use, path, keys, holders, strategy):
                    answers[one.path, one.declaration] = one, path
            if answers:
                break
        return answers or made

    def _answering(
        self, use: Contract, path: str, keys: Iterable[str], holders: set[int], strategy: Strategy
    ) -> Iterator[Definition]:
        """The handlers of one mounted file for a request, by the keys of its path."""
        other = self._engine.file(path)
        if other is None:
            return
        found = [item for key in keys for item in _given_in(other, ROUTE, key)]
        found = found or self._handed_function(other, keys)
        for item in _of_holders(other, found, holders):
            for each in self._target(other, item, strategy):
                yield from self._members(each, item.key, use)

    def _mounted_files(
        self, path: str, item: Contract, strategy: Strategy
    ) -> Iterator[tuple[str, int]]:
        """The files that are mounted, each with the declaration that is named in it."""
        file = self._engine.file(path)
        for other in () if file is None else file.code.contracts:
            if other.kind == FILES and other.place == item.place:
                yield from ((named, FILE) for named in self._files_named(other.key))
        for found in () if file is None else self._named(file, item, strategy):
            if found.path != path:
                yield found.path, found.declaration

    def _target(
        self, file: SourceFile | None, item: Contract, strategy: Strategy
    ) -> Iterator[Definition]:
        """The handler that is named; else the declaration that gives, or the file."""
        if file is None:
            return
        named = [*self._handlers(file, item, strategy)] or [*self._actions(file, item, strategy)]
        yield from named or [Definition(file.path, item.declaration, strategy)]

    def _actions(
        self, file: SourceFile, item: Contract, strategy: Strategy
    ) -> Iterator[Definition]:
        """The methods of controllers that a route names as a text."""
        for other in file.code.contracts:
            if other.kind == ACTION and other.place == item.place and other is not item:
                holders = {found.path for found in self._named(file, other, strategy)}
                for path in self._declaring(ACTION, other.key):
                    controller = self._engine.file(path)
                    if controller is None or (holders and path not in holders):
                        continue
                    for found in _given_in(controller, ACTION, other.key):
                        yield Definition(path, found.declaration, strategy)
                yield from self._of_class(file, other, strategy)

    def _of_class(
        self, file: SourceFile, action: Contract, strategy: Strategy
    ) -> Iterator[Definition]:
        """The method of a class that is no controller by its name."""
        if next(iter(self._declaring(ACTION, action.key)), None) is not None:
            return
        for found in self._named(file, action, strategy):
            other = self._engine.file(found.path)
            scope = None if other is None else other.scope_of_declaration.get(found.declaration)
            finder = None if other is None else self._finder(other.language)
            if other is not None and scope is not None and finder is not None:
                name = action.key.partition("#")[2]
                for each in _members_of(finder, other, scope, name):
                    yield each._replace(strategy=strategy)

    def _handlers(
        self, file: SourceFile, item: Contract, strategy: Strategy
    ) -> Iterator[Definition]:
        """The declarations that the name of a handler means."""
        for found in self._named(file, item, strategy):
            if found.declaration != FILE:
                yield found

    def _named(self, file: SourceFile, item: Contract, strategy: Strategy) -> Iterator[Definition]:
        """The declarations and files that the name of a handler means."""
        own = file.declared_at.get(item.handler)
        if own is not None:
            yield Definition(file.path, own, strategy)
            return
        number = file.name_at.get(item.handler, NONE)
        finder = self._finder(file.language) if number != NONE else None
        for found in () if finder is None else finder.of(file, number):
            yield Definition(found.path, found.declaration, strategy)


def _members_of(finder: Finder, file: SourceFile, scope: int, name: str) -> Iterator[Definition]:
    """The members of a class with a name, or else those of its objects."""
    found = [*finder.of_member(ClassValue(file.path, scope), name)]
    found = found or [*finder.of_member(Instance(file.path, scope), name)]
    if found:
        yield from found
        return
    for number, row in enumerate(file.declarations):  # in languages that declare types
        holder = file.scope_of_declaration.get(row.parent)
        if row.name == name and holder == scope:
            yield Definition(file.path, number, Strategy.ROUTE)


def _own_folders(path: str) -> Iterator[str]:
    """The folders of the pages of a controller, and of what a page includes."""
    *folders, name = path.split("/")
    stem = name.partition(".")[0]
    holder = re.fullmatch(r"(\w+?)_?[cC]ontroller", stem)
    if holder is not None:
        yield holder[1]
    if any(folder.lower() in _ROOTS for folder in folders[:-1]):
        yield folders[-1]


def _runs(giving: str, path: str, images: list[str]) -> bool:
    """False for the image of another service: what it sets is set for the code that it has.

    Parts of one project may be built by the image of one of them, if they have none.
    """
    folder, _, name = giving.rpartition("/")
    project, _, part = folder.rpartition("/")
    if "dockerfile" not in name.lower() or path.startswith(f"{folder}/") or not folder:
        return True
    if name == "Dockerfile" and any(path.startswith(image) for image in images):
        return False
    if not project:
        return True
    is_beside = path.startswith(f"{project}/") and project not in _CONTAINERS
    return is_beside or part.lower() in _IMAGES


def _is_named(path: str, parts: list[str]) -> bool:
    """True if a path ends as a name does, which may leave out endings and the mark of a part."""
    own = path.split("/")
    last = own[-1].lstrip("_")
    names = {own[-1], last, last.rpartition(".")[0], last.partition(".")[0]}
    return own[-len(parts) : -1] == parts[:-1] and parts[-1] in names


def _root_of(path: str, parts: list[str]) -> str:
    """The folder that a name of a file is below."""
    return "".join(path.split("/")[: -len(parts)][-1:])


def _in_module(found: Targets, name: str) -> Targets:
    """The targets in files that are named as the module of a name."""
    module = name.rpartition(".")[0].rpartition(".")[2].lower()
    named = {
        key: value
        for key, value in found.items()
        if module in {part.partition(".")[0].lower() for part in value[1].split("/")}
    }
    return named or (found if len(found) == 1 else {})


def _least_before(
    giving: list[tuple[SourceFile, Contract]], wanted: str
) -> list[tuple[SourceFile, Contract]]:
    """The routes that have least before a request which is the end of them.

    What a client adds is seldom a segment that varies.
    """
    length = wanted.count("/")
    before = [item.key.split("/")[1:][: max(item.key.count("/") - length, 0)] for _, item in giving]
    costs = [(any("{" in part for part in parts), len(parts)) for parts in before]
    least = min(costs)
    return [row for row, cost in zip(giving, costs, strict=True) if cost == least]


def _in_service(
    giving: list[tuple[SourceFile, Contract]], wanted: str
) -> list[tuple[SourceFile, Contract]]:
    """The routes in the folder of a service that the request names before the rest of its path.

    So gateways tell services apart: `/users/get/7` is answered in `cmd/users`.
    """
    segments = wanted.split("/")[1:]
    found = [
        (other, item)
        for other, item in giving
        if {*segments[: max(len(segments) - item.key.count("/"), 0)]}
        & {part.lower() for part in other.path.split("/")[:-1]}
    ]
    return found or giving


def _of_holders(file: SourceFile, found: list[Contract], holders: set[int]) -> list[Contract]:
    """The routes in the functions that are mounted; all if none of them has routes."""
    rows = file.declarations
    inside = [
        item
        for item in found
        for holder in holders - {FILE}
        if rows[holder].start_line <= item.line <= rows[holder].end_line
    ]
    return inside or found


def _given_to(file: SourceFile) -> dict[tuple[int, int], Contract]:
    """Arguments of requests to functions that may make their paths, by the requests' places."""
    return {item.place: item for item in file.code.contracts if item.kind == GIVEN}


def _given_in(file: SourceFile, kind: str, key: str) -> list[Contract]:
    return file.cached("contracts given", lambda it: given_by(it.code)).get((kind, key), [])


def closeness(path: str, giving: str) -> tuple[int, int]:
    """The nearness of two files: folders in common, then the innermost one that one names.

    A setting of the service `src/payment` is told by `manifests/payment.yaml`, too.
    """
    own = path.split("/")[:-1]
    others = giving.split("/")
    shared = 0
    for mine, other in zip(own, others[:-1], strict=False):
        if mine != other:
            break
        shared += mine not in _CONTAINERS
    words = {*others[:-1], others[-1].partition(".")[0]} - _CONTAINERS
    named = max((at + 1 for at, folder in enumerate(own) if folder in words), default=0)
    return shared, named
