"""Modules imported on first use: names of a package, extras, and garbage while they load."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Mapping
from importlib import import_module

from index_format.annotations import Any, Final

# How many containers are made and not yet freed when a collection looks through them. Searches make
# hundreds and leave no cycles: with the 700 of Python, collections took a twentieth of their time,
# and now and then one waited 50 ms for all that is kept to be looked through.
_YOUNG: Final = 5000


def import_on_first_use(package: str, names: Mapping[str, str]) -> Callable[[str], object]:
    """A package's `__getattr__`: imports a name from the module that defines it.

    By module, the `names` stand in a text with blanks between them.
    """
    modules = dict[str, str]()

    def load(name: str) -> object:
        if not modules:
            modules.update((item, module) for module in names for item in names[module].split())
        module = modules.get(name)
        if module is None:
            msg = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(msg)
        return getattr(import_module(f"{package}.{module}"), name)

    return load


def import_object(target: str) -> Any:  # noqa: ANN401 any object
    """The object that "module:name" names, whose module is imported now."""
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)


def collect_garbage() -> None:
    """Let collections begin, if the program has put them off until all is loaded.

    Modules are never garbage: while they are loaded, collections would look through those loaded so
    far again and again, and all later ones, too.
    """
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(_YOUNG)
        gc.enable()


def find_package(name: str) -> str:
    """The folder of an installed package, which is not imported; "" if there is none."""
    from importlib.machinery import PathFinder  # noqa: PLC0415 only where a package may lack

    # not `find_spec`, which setuptools takes for the start of pip: it gives distutils back
    spec = PathFinder.find_spec(name)
    return next(iter((spec and spec.submodule_search_locations) or ()), "")


def how_to_install(extra: str) -> str:
    """Return a shell's command that installs an extra into the environment of this program.

    `pip` alone may be the system's: Debian's refuses, and others install where this program does
    not look. Environments made by uv have no pip.
    """
    import shlex  # noqa: PLC0415 only where a package lacks

    python = shlex.quote(sys.executable or "python3")
    has_pip = bool(find_package("pip"))
    install = f"{python} -m pip install" if has_pip else f"uv pip install --python {python}"
    return f"{install} 'repo-mcp[{extra}]'"
