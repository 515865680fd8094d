"""Finds hooks with one user: what is made to be replaced, and is replaced in one way.

Three kinds are counted, each by syntax alone:

- a method of a class that languages share, which does nothing there, and which the classes of one
  language override;
- a protocol or an abstract class that one class implements; `Plain…` stands in for compiled code,
  and protocols that are called (`__call__`) are implemented by functions;
- a field or an argument of a constructor that takes a function, where the class is made in one
  place and the function is named or written there. One that is handed on is chosen elsewhere.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_LANGUAGES: Final = "code_graph/languages/"


class SharedClass(NamedTuple):
    """A class, and the file in which it is declared."""

    path: str
    node: ast.ClassDef

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def bases(self) -> list[str]:
        return [_last_name(base) for base in self.node.bases]

    @property
    def methods(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        return [item for item in self.node.body if isinstance(item, _FUNCTIONS)]

    @property
    def fields(self) -> list[ast.AnnAssign]:
        return [item for item in self.node.body if isinstance(item, ast.AnnAssign)]

    @property
    def is_contract(self) -> bool:
        """True for a protocol, and where a method is abstract."""
        decorators = (item for method in self.methods for item in method.decorator_list)
        return "Protocol" in self.bases or "abstractmethod" in map(_last_name, decorators)

    @property
    def members(self) -> set[str]:
        """Names of methods, fields, and attributes that are assigned."""
        assigned = {
            item.attr if isinstance(item, ast.Attribute) else item.id
            for item in ast.walk(self.node)
            if isinstance(item, ast.Attribute | ast.Name) and isinstance(item.ctx, ast.Store)
        }
        return assigned | {method.name for method in self.methods}


def hooks_with_one_user(trees: Mapping[str, ast.Module]) -> Iterator[str]:
    """A line for each hook of these files."""
    code = _Code(trees)
    yield from code.overridden_by_one_language()
    yield from code.implemented_once()
    yield from code.given_once()


class _Code:
    """The classes of all files by name, and which are below which."""

    def __init__(self, trees: Mapping[str, ast.Module]) -> None:
        self._trees = trees
        self._classes: dict[str, list[SharedClass]] = defaultdict(list)
        self._below: dict[str, list[SharedClass]] = defaultdict(list)
        for path, tree in trees.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    item = SharedClass(path, node)
                    self._classes[item.name].append(item)
                    for base in item.bases:
                        self._below[base].append(item)
        self._own_members = {
            name: set[str]().union(*(item.members for item in items))
            for name, items in self._classes.items()
        }

    def overridden_by_one_language(self) -> Iterator[str]:
        for item in self._all():
            if item.path.startswith(_LANGUAGES):
                continue
            users: dict[str, set[str]] = defaultdict(set)
            for heir in self._heirs(item.name):
                is_of_language = heir.path.startswith(_LANGUAGES)
                user = heir.path.split("/")[2] if is_of_language else heir.path
                for method in heir.methods:
                    users[method.name].add(user)
            for method in item.methods:
                (user, *others) = users[method.name] or {item.path}
                is_hook = _does_nothing(method) and not method.name.startswith("__")
                if is_hook and not others and not user.endswith(".py"):
                    yield f"{item.path}: {item.name}.{method.name}: overridden by {user} alone"

    def implemented_once(self) -> Iterator[str]:
        contracts = {item.name: item for item in self._all() if item.is_contract}
        members = {name: self._members(name) for name in self._own_members}
        for name, item in contracts.items():
            needed = members[name]
            users = [
                user for user, has in members.items() if needed <= has and user not in contracts
            ]
            is_hook = len(users) == 1 and not users[0].startswith("Plain")
            if is_hook and "__call__" not in needed:
                yield f"{item.path}: {name}: implemented by {users[0]} alone"

    def given_once(self) -> Iterator[str]:
        calls: dict[str, list[tuple[str, ast.Call]]] = defaultdict(list)
        for path, tree in self._trees.items():
            for node in ast.walk(tree):
                if isinstance(node, ast.Call):
                    # a class that is handed to a function is made there
                    for called in {_last_name(item) for item in (node.func, *node.args)}:
                        calls[called].append((path, node))
        for item in self._all():
            made = {item.name, *(heir.name for heir in self._heirs(item.name))}
            sites = [site for name in made for site in calls.get(name, ())]
            is_made_inside = any(
                isinstance(node, ast.Call) and _last_name(node.func) == "cls"
                for node in ast.walk(item.node)
            )
            if len(sites) == 1 and not is_made_inside and "Protocol" not in item.bases:
                (path, call) = sites[0]
                for name in _functions_given(item, call, self._trees[path]):
                    yield f"{item.path}: {item.name}: {name} is given in {path} alone"

    def _all(self) -> Iterator[SharedClass]:
        for items in self._classes.values():
            yield from items

    def _heirs(self, name: str) -> list[SharedClass]:
        """The classes below one, each once."""
        heirs: dict[str, SharedClass] = {}
        left = [name]
        while left:
            for heir in self._below.get(left.pop(), ()):
                if heir.name not in heirs:
                    heirs[heir.name] = heir
                    left.append(heir.name)
        return [*heirs.values()]

    def _members(self, name: str, *below: str) -> set[str]:
        """Members of the classes of a name, and of their bases."""
        bases = {base for item in self._classes.get(name, ()) for base in item.bases}
        above = (self._members(base, name, *below) for base in bases.difference(below, (name,)))
        return self._own_members.get(name, set[str]()).union(*above)


def _does_nothing(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """True for a body without a call or an operation: it gives what it was given, or a constant."""
    return not any(
        isinstance(node, ast.Call | ast.BinOp | ast.Compare | ast.Subscript | ast.Yield)
        for statement in method.body
        for node in ast.walk(statement)
    )


def _functions_given(item: SharedClass, call: ast.Call, tree: ast.Module) -> Iterator[str]:
    """The arguments for functions that the call names or writes."""
    annotations: dict[str, ast.AST] = {
        _last_name(field.target): field.annotation for field in item.fields
    }
    for method in item.methods:
        if method.name == "__init__":
            arguments = (*method.args.args[1:], *method.args.kwonlyargs)
            annotations = {argument.arg: argument.annotation or item.node for argument in arguments}
    given = dict(zip(annotations, call.args, strict=False))
    given |= {item.arg: item.value for item in call.keywords if item.arg}
    here = {node.name for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)}
    for name, value in given.items():
        if _last_name(annotations.get(name, item.node)) != "Callable":
            continue
        # an attribute of this object may be what it was given
        is_own = isinstance(value, ast.Attribute) and _last_name(value.value) != "self"
        if is_own or isinstance(value, ast.Lambda) or _last_name(value) in here:
            yield name


def _last_name(node: ast.AST) -> str:
    """The last name of an expression: `Base` of `room.Base[int]`."""
    while isinstance(node, ast.Subscript | ast.BinOp):
        node = node.value if isinstance(node, ast.Subscript) else node.left
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
