"""Compiles the optional extension modules when a wheel is built; without them the wheel works too.

Each package has one, in its folder `native`. They use the stable interface of CPython 3.11, so that
one wheel for each kind of machine serves all later versions. A build of Python without its global
lock has no such interface: there the wheel is for one version. Where nothing can be compiled, the
wheel is for any machine.
"""

from __future__ import annotations

import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGES = ("index_format", "code_graph", "repo_mcp")
# headers that all modules may include
SHARED = "index_format/native"
STABLE = ("Py_LIMITED_API", "0x030B0000")


class ExtensionHook(BuildHookInterface):
    """Adds the libraries to a wheel, or to the tree for an editable installation."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and set the wheel's tag."""
        root = Path(self.root)
        editable = version == "editable"
        if editable:
            for library in find_libraries(root):
                library.unlink()
        try:
            libraries = compile_extensions(root)
        except Exception as error:  # noqa: BLE001 whatever the reason, they are optional
            self.app.display_warning(f"nothing is compiled: {type(error).__name__}: {error}")
            return
        for library in libraries:
            place = "/".join(library.parts[-3:])
            if editable:
                (root / place).write_bytes(library.read_bytes())
            else:
                build_data["force_include"][str(library)] = place
        if editable:
            return
        build_data["pure_python"] = False
        best = self.build_config.builder.get_best_matching_tag()
        build_data["tag"] = f"cp311-abi3-{best.rpartition('-')[2]}" if is_stable() else best


def is_stable() -> bool:
    """True if one library serves all versions: not where Python runs without its global lock."""
    return not sysconfig.get_config_var("Py_GIL_DISABLED")


def find_libraries(root: Path) -> list[Path]:
    """All compiled modules in the tree, those of former names too."""
    return [
        library
        for package in PACKAGES
        for suffix in (".so", ".pyd")
        for library in (root / package).rglob(f"_*{suffix}")
    ]


def compile_extensions(root: Path) -> list[Path]:
    """The library of each package, in a temporary folder."""
    from setuptools import Distribution, Extension  # noqa: PLC0415 it may be what fails

    if sys.implementation.name != "cpython":
        msg = "only CPython is fast at calling it"
        raise RuntimeError(msg)
    extensions = [
        Extension(
            f"{package}.native._native",
            sorted(
                source.relative_to(root).as_posix()
                for source in (root / package / "native").glob("*.c")
            ),
            include_dirs=[SHARED],
            define_macros=[STABLE] if is_stable() else [],
            py_limited_api=is_stable(),
            # facts for debuggers name the folder of the build: without them it makes no difference;
            # and products and sums are rounded one by one, as in Python
            extra_compile_args=[] if sys.platform == "win32" else ["-g0", "-ffp-contract=off"],
        )
        for package in PACKAGES
    ]
    command = Distribution({"ext_modules": extensions}).get_command_obj("build_ext")
    folder = tempfile.mkdtemp()
    command.build_lib = command.build_temp = folder
    command.ensure_finalized()
    command.run()
    return [root / output for output in command.get_outputs()]
