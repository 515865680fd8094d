"""Compiles what may be compiled when a wheel is built; where that fails, the wheel does without.

Compiled modules are for CPython of any version from 3.11 on (its stable interface), so one wheel
for each kind of machine is enough, and the plain wheel is for all others.
"""

from __future__ import annotations

import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODULES = ("repo_mcp.text._counting", "repo_mcp.text._lines", "index_format.native._reading")
STABLE = ("Py_LIMITED_API", "0x030B0000")


class Compiled(BuildHookInterface):
    """Adds the compiled modules to a wheel, or to the tree for an editable installation."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say what the wheel is for."""
        root = Path(self.root)
        editable = version == "editable"
        if editable:
            for old in left_over(root):
                old.unlink()
        try:
            libraries = compiled(root)
        except Exception as error:  # noqa: BLE001 whatever the reason, it is optional
            self.app.display_warning(f"nothing is compiled: {type(error).__name__}: {error}")
            return
        for place, library in libraries.items():
            if editable:
                (root / place).write_bytes(library.read_bytes())
            else:
                build_data["force_include"][str(library)] = place
        if not editable:
            build_data["pure_python"] = False
            best = self.build_config.builder.get_best_matching_tag()
            build_data["tag"] = f"cp311-abi3-{best.rpartition('-')[2]}" if is_stable() else best


def is_stable() -> bool:
    """Whether a module can be compiled for all versions at once: a lock is part of that."""
    return not sysconfig.get_config_var("Py_GIL_DISABLED")


def left_over(root: Path) -> list[Path]:
    """Modules that were compiled before."""
    stems = [root.joinpath(*module.split(".")) for module in MODULES]
    return [
        old
        for stem in stems
        for suffix in (".so", ".pyd")
        for old in stem.parent.glob(f"{stem.name}*{suffix}")
    ]


def compiled(root: Path) -> dict[str, Path]:
    """The modules, compiled in a temporary folder, by where in the tree they belong."""
    from setuptools import Distribution, Extension  # noqa: PLC0415 it may be what fails

    if sys.implementation.name != "cpython":
        msg = "only CPython is fast at calling it"
        raise RuntimeError(msg)
    extensions = [
        Extension(
            module,
            [f"{module.replace('.', '/')}.c"],
            define_macros=[STABLE] if is_stable() else [],
            py_limited_api=is_stable(),
        )
        for module in MODULES
    ]
    command = Distribution({"ext_modules": extensions}).get_command_obj("build_ext")
    folder = Path(tempfile.mkdtemp())
    command.build_lib = command.build_temp = str(folder)
    command.ensure_finalized()
    command.run()
    made = [root / output for output in command.get_outputs()]
    return {path.relative_to(folder).as_posix(): path for path in made}
