"""Compiles what may be compiled when a wheel is built; where that fails, the wheel does without.

The compiled module is for CPython of any version from 3.11 on (its stable interface), so one wheel
for each kind of machine is enough, and the plain wheel is for all others.
"""

from __future__ import annotations

import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODULE = "repo_mcp.analysis._counting"
SOURCE = "repo_mcp/analysis/_counting.c"
STABLE = ("Py_LIMITED_API", "0x030B0000")


class Compiled(BuildHookInterface):
    """Adds the compiled module to a wheel, or to the tree for an editable installation."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say what the wheel is for."""
        folder = Path(self.root, SOURCE).parent
        editable = version == "editable"
        if editable:
            for old in left_over(folder):
                old.unlink()
        try:
            library = compiled(Path(self.root))
        except Exception as error:  # noqa: BLE001 whatever the reason, it is optional
            self.app.display_warning(f"{MODULE} is not compiled: {type(error).__name__}: {error}")
            return
        if editable:
            (folder / library.name).write_bytes(library.read_bytes())
            return
        build_data["force_include"][str(library)] = (
            f"{Path(SOURCE).parent.as_posix()}/{library.name}"
        )
        build_data["pure_python"] = False
        best = self.build_config.builder.get_best_matching_tag()
        build_data["tag"] = f"cp311-abi3-{best.rpartition('-')[2]}" if is_stable() else best


def is_stable() -> bool:
    """Whether a module can be compiled for all versions at once: a lock is part of that."""
    return not sysconfig.get_config_var("Py_GIL_DISABLED")


def left_over(folder: Path) -> list[Path]:
    """Modules that were compiled before."""
    name = MODULE.rpartition(".")[2]
    return [*folder.glob(f"{name}*.so"), *folder.glob(f"{name}*.pyd")]


def compiled(root: Path) -> Path:
    """The module, compiled in a temporary folder."""
    from setuptools import Distribution, Extension  # noqa: PLC0415 it may be what fails

    if sys.implementation.name != "cpython":
        msg = "only CPython is fast at calling it"
        raise RuntimeError(msg)
    extension = Extension(
        MODULE,
        [SOURCE],
        define_macros=[STABLE] if is_stable() else [],
        py_limited_api=is_stable(),
    )
    command = Distribution({"ext_modules": [extension]}).get_command_obj("build_ext")
    folder = Path(tempfile.mkdtemp())
    command.build_lib = command.build_temp = str(folder)
    command.ensure_finalized()
    command.run()
    return root / command.get_outputs()[0]
