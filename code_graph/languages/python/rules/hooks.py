"""Methods of a class that those it inherits from a library call: `thread.start()` calls `run`.

Which ones they are, no code of the repository says: `hooks.toml` does, by the last names of bases.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ExternalInstance,
    FunctionValue,
    Instance,
    Result,
    SuperValue,
    Value,
    merge,
)
from code_graph.expressions import NONE, Op
from code_graph.formats.toml import read_toml
from code_graph.languages.python.rules import models
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.python.rules.evaluation import PythonEvaluation

# objects that pass their members on to one of the class which they are of
_SESSIONS: Final = frozenset(
    {"sqlalchemy.orm.scoped_session", "sqlalchemy.ext.asyncio.async_scoped_session"}
)
# members of one object that are looked at
_MOST_MEMBERS: Final = 60
_SAVED: Final = "save"
_SAVING: Final = frozenset(
    {"create", "acreate", "get_or_create", "aget_or_create", "update_or_create"}
)


def _read_hooks(path: Path) -> dict[tuple[str, str], tuple[str, ...]]:
    """The methods that are called, by a base and the method that calls them."""
    hooks: dict[tuple[str, str], tuple[str, ...]] = {}
    for bases, rows in read_toml(path.read_bytes()).items():
        for base, (calling, called) in product(bases.split(), rows.items()):
            for name in calling.split():
                known = hooks.get((base, name), ())
                hooks[base, name] = tuple(dict.fromkeys((*known, *called.split())))
    return hooks


_HOOKS: Final = _read_hooks(Path(__file__).parents[1] / "hooks.toml")
_CALLED: Final = _SAVING | {name for _, name in _HOOKS}
# methods that no name stands for which call others
IMPLIED: Final = frozenset(name for _, name in _HOOKS if name.startswith("__"))


class LibraryHooks:
    """Finds the methods of an object that an inherited one calls."""

    def __init__(self, evaluation: PythonEvaluation) -> None:
        """Nothing is looked for yet."""
        self._evaluation = evaluation

    def of(self, file: SourceFile, number: int) -> Result:
        """The methods that a call of a member runs, which is a library's."""
        item = file.expressions[number]
        named = file.expressions[item.of] if item.of != NONE else item
        found: Result = {}
        if named.op != Op.MEMBER or named.name not in _CALLED:
            return found
        for value in self._evaluation.evaluate(file, named.of):
            owner = value.receiver if isinstance(value, SuperValue) else value
            if isinstance(owner, Instance):
                merge(found, self.of_object(owner, named.name), Strategy.FRAMEWORK)
            elif isinstance(value, ExternalInstance) and value.name in _SESSIONS:
                for held in value.arguments[-1] if value.arguments else ():
                    if isinstance(held, Instance):
                        merge(found, self.of_object(held, named.name), Strategy.FRAMEWORK)
            elif named.name in _SAVING:
                merge(found, self._of_manager(value), Strategy.FRAMEWORK)
        return found

    def _of_manager(self, value: Value) -> Result:
        """The method by which a manager of Django stores what it makes."""
        found: Result = {}
        if isinstance(value, ExternalInstance) and value.name in models.MANAGERS:
            for made in value.arguments[-1] if value.arguments else ():
                if isinstance(made, Instance):
                    merge(found, self._method(made, _SAVED))
        return found

    def of_object(self, owner: Instance, name: str) -> Result:
        """The methods of an object that a method which it inherits from a library calls."""
        found: Result = {}
        for base in self._evaluation.classes.ancestors(owner.path, owner.scope):
            hooks = (
                _HOOKS.get((base.external.rpartition(".")[2], name), ()) if base.external else ()
            )
            for hook in hooks:
                if hook.startswith("@"):
                    merge(found, self._of_members(owner, hook.removeprefix("@")))
                    continue
                names = [hook]
                if hook.endswith("*"):
                    names = self._evaluation.classes.names_beginning(owner, hook.removesuffix("*"))
                for method in names:
                    if method != name:
                        merge(found, self._method(owner, method))
        return found

    def _of_members(self, owner: Instance, name: str) -> Result:
        """The methods of a name that the objects have which stand in the body of a class."""
        found: Result = {}
        classes = self._evaluation.classes
        for member in classes.names_beginning(owner, "")[:_MOST_MEMBERS]:
            for held in classes.member_of_instance(owner, member):
                if isinstance(held, Instance):
                    merge(found, self._method(held, name))
        return found

    def _method(self, owner: Instance, name: str) -> Result:
        members = self._evaluation.classes.member_of_instance(owner, name)
        return {item: how for item, how in members.items() if isinstance(item, FunctionValue)}
