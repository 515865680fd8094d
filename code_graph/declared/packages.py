"""Rules of languages whose files name their package and whose imports name types or members."""

from __future__ import annotations

from typing import Final

from code_graph.declared.rules import DeclaredRules
from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import ClassValue, External, MemberValue, Result, merge
from code_graph.expressions import NONE, ScopeKind
from code_graph.facts import Import
from code_graph.model import Strategy

_MOST_PARTS: Final = 40


class PackageRules(DeclaredRules):
    """Imports, packages, and members of types that are imported."""

    @staticmethod
    def imports_of(file: SourceFile, name: str) -> list[Import]:
        """The imports that bind a name in a file."""
        rows = (item.value for item in file.bindings.get((0, name), ()))
        imports = file.facts.imports
        return [imports[number] for number in rows if 0 <= number < len(imports)]

    def absolute(self, file: SourceFile, whole: str) -> Result:
        """The types of a full name, which may be in types."""
        if whole.count(".") > _MOST_PARTS:
            return {}
        package, _, name = whole.rpartition(".")
        found = self._in_package(file, package, name)
        if not found and self.names_type(package):
            for owner in self.absolute(file, package):
                if isinstance(owner, ClassValue):
                    merge(found, self._evaluation.types.nested(owner, name, -1))
        return found

    def _in_package(self, file: SourceFile, package: str, name: str) -> Result:
        """The types of a name that a package has."""
        return self._evaluation.types.in_namespace(file, package, name, -1)

    def names_type(self, whole: str) -> bool:
        """True if a full name may mean a type."""
        return bool(whole)

    def imported_members(self, owners: Result, name: str) -> Result:
        """The members of a name, no types, of types from which they are imported."""
        found: Result = {}
        for owner in owners:
            if isinstance(owner, ClassValue):
                for member in self._evaluation.classes.members(owner, name):
                    if isinstance(member, MemberValue) and not self._is_type(member):
                        found[member] = Strategy.IMPORT
        return found

    def _is_type(self, value: MemberValue) -> bool:
        file = self._evaluation.file(value.path)
        if file is None:
            return True
        inner = file.scope_of_declaration.get(value.declaration, NONE)
        is_class = inner != NONE and file.kind(inner) == ScopeKind.CLASS
        return is_class and file.declarations[value.declaration].kind != "enumerator"

    def imported_package(self, language: str, module: str) -> Result:
        """The declaration of a package in one of its files, or an external name."""
        for other in self._evaluation.types.declaring(language, module):
            for declaration, row in enumerate(other.declarations):
                if row.kind == "package" and row.name == module:
                    return {MemberValue(other.path, declaration): Strategy.IMPORT}
        return {External(module): Strategy.IMPORT}
