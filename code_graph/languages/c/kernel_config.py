"""The build that a `.config` of Kconfig describes, as Linux, U-Boot and Zephyr have it.

Files are left out by the rules of Kbuild's makefiles: `obj-$(CONFIG_X) += a.o`.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from typing import Final

from code_graph.conditions.build import TreeFiles
from code_graph.conditions.definitions import UNDEFINED, Macro, MacroTable
from code_graph.conditions.truth import Truth
from code_graph.languages.c.platforms import CompilerPlatform, machine_of
from code_graph.languages.c.preprocessing import KCONFIG, OF_MODULE, test_enabled
from code_graph.projects.tree import ancestors, below, is_within, parent
from index_format.tuples import NamedTuple

CONFIG: Final = ".config"
_SETTING: Final = re.compile(rf"^({KCONFIG}\w+)=(.*)$", re.MULTILINE)
_SOURCE: Final = re.compile(r"\.[cS]$")
_MAKEFILES: Final = ("Kbuild", "Makefile")
_JOINED: Final = re.compile(r"\\\n")
_RULE: Final = re.compile(
    r"^[ \t]*([\w-]+?)-(y|m|objs|\$[({]\w+[)}])[ \t]*[:+]?=[ \t]*([^#\n]*)", re.MULTILINE
)
_VARIABLE: Final = re.compile(r"\$[({](\w+)[)}]")
_DEEPEST: Final = 8
# what a rule of a makefile adds to the kernel
_LINKED: Final = frozenset({"obj", "lib", "core", "drivers", "libs", "head", "extra", "always"})


class _Rule(NamedTuple):
    """One rule: a target, the setting that it depends on, and what it adds."""

    target: str
    setting: str
    objects: tuple[str, ...]


class KernelConfig:
    """A build by the settings of a kernel."""

    def __init__(self, path: str, text: str, root: str, mount: str) -> None:  # noqa: ARG002 as others
        """Read the settings; the kernel is for the architecture of this machine."""
        self.name = path
        self._folder = parent(path)
        self._platform = CompilerPlatform("linux", machine_of(platform.machine()))
        self._settings = dict(_SETTING.findall(text))

    def definitions(self, path: str, language: str, files: TreeFiles) -> MacroTable | None:  # noqa: ARG002 as other builds
        """The settings as macros; of a file elsewhere the build says nothing."""
        is_of_kernel = language == "c" and is_within(path, self._folder)
        return KernelMacros(self._settings, self._platform) if is_of_kernel else None

    def leaves_out(self, path: str, files: TreeFiles) -> bool:
        """True if every rule that adds the file, or a folder around it, needs what is not set."""
        if _SOURCE.search(path) is None or not is_within(path, self._folder):
            return False
        name = f"{path.rpartition('/')[2].rpartition('.')[0]}.o"
        if not self._is_added(parent(path), name, files, 0):
            return True
        for folder in ancestors(parent(path)):
            if not folder or folder == self._folder:
                return False
            around, _, own = folder.rpartition("/")
            if not self._is_added(around, f"{own}/", files, 0):
                return True
        return False

    def _is_added(self, folder: str, entry: str, files: TreeFiles, depth: int) -> bool:
        """True unless rules add an entry of a folder, and none of them is in force."""
        rules = [rule for rule in self._rules(folder, files) if entry in rule.objects]
        if not rules or depth > _DEEPEST:
            return True
        return any(
            self._is_set(rule.setting)
            and (
                rule.target in _LINKED
                or self._is_added(folder, f"{rule.target}.o", files, depth + 1)
            )
            for rule in rules
        )

    def _is_set(self, setting: str) -> bool:
        match = _VARIABLE.fullmatch(setting)
        if match is None:
            return True
        # a variable of the makefile may be anything
        return not match[1].startswith(KCONFIG) or self._settings.get(match[1]) in {"y", "m"}

    def _rules(self, folder: str, files: TreeFiles) -> list[_Rule]:
        return [
            _Rule(target, setting, tuple(objects.split()))
            for text in self._makefiles(folder, files)
            for target, setting, objects in _RULE.findall(_JOINED.sub(" ", text))
        ]

    def _makefiles(self, folder: str, files: TreeFiles) -> Iterator[str]:
        for name in _MAKEFILES:
            text = files.text(below(folder, name))
            if text is not None:
                yield text


class KernelMacros(MacroTable):
    """The macros that the settings of a kernel are for its code."""

    def __init__(self, settings: dict[str, str], place: CompilerPlatform) -> None:
        """`settings` has those that are set, with their values."""
        super().__init__()
        self._settings = settings
        self._platform = place

    def given(self, name: str) -> Macro:
        """A setting, or what the compiler defines."""
        if not name.startswith(KCONFIG):
            return self._platform.macro(name) or super().given(name)
        value = self._settings.get(name)
        if value is None and name.endswith(OF_MODULE):
            is_module = self._settings.get(name.removesuffix(OF_MODULE)) == "m"
            return Macro(Truth.TRUE, "1") if is_module else UNDEFINED
        if value in {None, "n", "m"}:
            return UNDEFINED
        return Macro(Truth.TRUE, "1" if value == "y" else value)

    def test(self, name: str, argument: str) -> Truth | None:
        """The result of `IS_ENABLED` and its kin."""
        return test_enabled(self, name, argument)
