"""Types that protocols of Swift ask for, as the types that conform to them have them."""

from __future__ import annotations

from typing import Final

from code_graph.declared.evaluation import DeclaredEvaluation
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.substitution import mentions_parameter
from code_graph.evaluate.values import (
    ClassValue,
    External,
    ExternalInstance,
    Instance,
    MemberValue,
    Result,
    TupleValue,
    TypeParameter,
    Value,
    Values,
    merge,
    plain,
    with_strategy,
)
from code_graph.expressions import NONE, Role
from code_graph.model import Strategy

SELF: Final = "Self"
# types in types that are looked through
_DEEPEST: Final = 4


class AssociatedTypes:
    """Associated types, `Self`, and the types in what type parameters stand for."""

    def __init__(self, evaluation: DeclaredEvaluation) -> None:
        self._evaluation = evaluation

    def projected(self, values: Result) -> Result:
        """Values with the types that protocols ask for, where it is known what conforms to them."""
        if not any(mentions_parameter(value) for value in values):
            return values
        found: Result = {}
        for value, how in values.items():
            merge(found, with_strategy(self._project(value, 0), how))
        return found

    def _project(self, value: Value, depth: int) -> Values:
        if depth > _DEEPEST:
            return (value,)
        if isinstance(value, TypeParameter):
            return self._projection(value, depth)
        if isinstance(value, Instance | ExternalInstance | ClassValue | External):
            arguments = tuple(self._each_projected(row, depth) for row in value.arguments)
            return (value._replace(arguments=arguments),)
        if isinstance(value, TupleValue):
            return (TupleValue(tuple(self._each_projected(row, depth) for row in value.parts)),)
        return (value,)

    def _each_projected(self, values: Values, depth: int) -> Values:
        return tuple(dict.fromkeys(one for v in values for one in self._project(v, depth + 1)))

    def _projection(self, value: TypeParameter, depth: int) -> Values:
        """The type of a name in what another type parameter stands for."""
        name = value.name.rpartition("\0")[2]
        found: list[Value] = []
        for base in value.bound:
            for one in self._project(base, depth + 1):
                if isinstance(one, Instance):
                    of = ClassValue(one.path, one.scope, one.arguments)
                    found += self._type_in(of, name)
        known = [one for one in found if not isinstance(one, TypeParameter)]
        return tuple(dict.fromkeys(known)) or (value,)

    def _type_in(self, of: ClassValue, name: str) -> Values:
        """The objects of a type in another one; it may follow from what implements a protocol."""
        found: list[Value] = []
        for type_ in self._evaluation.types.nested(of, name, -1):
            if isinstance(type_, TypeParameter):
                found += self._witnessed(of, type_)
            else:
                found += self._evaluation.types.objects(type_)
        return tuple(found)

    def _witnessed(self, of: ClassValue, asked: TypeParameter) -> Values:
        """The type that a protocol asks for, by the members that implement it."""
        key = ("witnessed", of, asked.name)
        return plain(self._evaluation.engine.unit(key, lambda: self._by_members(of, asked)))

    def _by_members(self, of: ClassValue, asked: TypeParameter) -> Result:
        path, _, rest = asked.name.partition("\0")
        file = self._evaluation.file(path)
        if file is None:
            return {}
        holder = file.declarations[int(rest.partition("\0")[0])].parent
        receiver = Instance(of.path, of.scope, of.arguments)
        given: dict[str, Values] = {}
        for number, item in enumerate(file.declarations):
            if item.parent != holder or item.kind not in {"method", "property"}:
                continue
            declared = self.declared_types(file, number)
            for member in self._evaluation.classes.members(receiver, item.name):
                other = (
                    self._evaluation.file(member.path) if isinstance(member, MemberValue) else None
                )
                if other is None or not isinstance(member, MemberValue):
                    continue
                if (member.path, member.declaration) == (path, number):
                    continue
                own = self.declared_types(other, member.declaration)
                for one, values in zip(declared, own, strict=False):
                    for each in one:
                        self._evaluation.calls.inference.unify(each, values, given)
        return with_strategy(given.get(asked.name, ()), Strategy.GENERIC)

    def declared_types(self, file: SourceFile, number: int) -> list[Values]:
        """The types of a member: its own or its result's, and those of its parameters."""
        self._evaluation.classes.depend_on_declaration(file, number)
        instances = self._evaluation.types.instances
        result = self._evaluation.types.table(file).clause(number, Role.RESULT, Role.TYPE)
        scope = file.scope_of_declaration.get(number, NONE)
        is_method = file.declarations[number].kind == "method"
        rows = file.parameters.get(scope, ()) if is_method else ()
        found = [plain(instances(file, result)) if result != NONE else ()]
        return found + [plain(instances(file, row.annotation)) for row in rows]

    def given(self, receiver: Value, path: str, scope: int) -> dict[str, Values]:
        """`Self`, and the types that a protocol asks for, as a type has them."""
        file = self._evaluation.file(path)
        kind = self._evaluation.classes.kind_of(path, scope)
        if file is not None and kind == "extension" and isinstance(receiver, Instance):
            prefix = f"{path}\0{file.code.scopes[scope].declaration}\0"
            names = ("Key", "Value") if len(receiver.arguments) > 1 else ("Element", "Wrapped")
            rows = zip(names, receiver.arguments * len(names), strict=False)
            return {f"{prefix}{name}": values for name, values in rows if values}
        if file is None or kind != "protocol":
            return {}
        if not isinstance(receiver, Instance | ClassValue):
            return {}
        holder = file.code.scopes[scope].declaration
        own = Instance(receiver.path, receiver.scope, receiver.arguments)
        found: dict[str, Values] = {f"{path}\0{holder}\0{SELF}": (own,)}
        if (receiver.path, receiver.scope) == (path, scope):
            return found
        of = ClassValue(receiver.path, receiver.scope, receiver.arguments)
        for name, number in file.cached("associated types", _associated).get(holder, ()):
            values = self._type_in(of, name)
            known = [one for one in values if not isinstance(one, TypeParameter)]
            if known:
                found[f"{path}\0{number}\0{name}"] = tuple(known)
        return found


def _associated(file: SourceFile) -> dict[int, list[tuple[str, int]]]:
    """The types that protocols ask for, by these."""
    found: dict[int, list[tuple[str, int]]] = {}
    for number, item in enumerate(file.declarations):
        holder = file.declarations[item.parent].kind if item.parent >= 0 else ""
        if item.kind == "type" and holder == "protocol":
            found.setdefault(item.parent, []).append((item.name, number))
    return found
