"""Has numpy load the half of itself that arrays need, and the rest when something asks for it.

`import numpy` runs linear algebra, padding, histograms, polynomials, text files and the types of
annotations, and takes the margins off 370 texts of documentation. A search uses none of that, and
it is a quarter of what one takes from a cold start. A program that calls `install` first gets
numpy's core. The first name that is not of the core completes the module in place, so numpy is
whole to whoever uses it. Libraries should not call it: the program that loads them decides what
numpy it gets.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import FunctionType, ModuleType

from index_format.annotations import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.abc import Loader, MetaPathFinder

# what numpy's door takes from its library, which has it from the core; all that the core exports
# is of the door, too
_COMPILED: Final = ("bincount", "packbits", "unpackbits")
# names that the core itself takes from the package
_HIDDEN: Final = ("_CopyMode", "_NoValue")
_NAME: Final = "numpy"
# names of the kind that is asked of any module, and that only the whole one has
_ASKED: Final = ("__all__", "__config__", "__dir__", "__version__")
_LATE: Final = ("ast", "inspect", "pickle")
# they only add documentation
_DOCUMENTATION: Final = ("numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars")


def install() -> None:
    """Have the next `import numpy` load the core; without effect where numpy is loaded."""
    if _NAME not in sys.modules and not any(type(one) is _Finder for one in sys.meta_path):
        sys.meta_path.insert(0, cast("MetaPathFinder", _Finder()))


class _Finder:
    """Finds numpy where it is and has its core loaded; completes it before other parts of it."""

    _core: _Core | None = None

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != _NAME:
            # parts that import each other expect to be loaded in the order of the door
            if self._core is not None and name.startswith("numpy.") and name[6] != "_":
                self._core.complete_unless_busy()
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            self._core = _Core(spec.loader, self)
            spec.loader = cast("Loader", self._core)
        return spec


class _Core:
    """Runs numpy's own door only when something else than the core is asked for."""

    def __init__(self, whole: Loader, finder: _Finder) -> None:
        self._whole = whole
        self._finder = finder
        self._lock = RLock()
        self._module: ModuleType | None = None  # while it is the core alone

    def create_module(self, _: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        try:
            hidden = import_module("numpy._globals")
            vars(module).update({name: getattr(hidden, name) for name in _HIDDEN})
            vars(module).update(_core_names())
        except (ImportError, AttributeError):  # another layout of numpy's modules
            self._module = module
            self._complete()
            return

        def ask_whole(name: str) -> object:
            message = f"module {_NAME!r} has no attribute {name!r}"
            if name.startswith("__") and name not in _ASKED:
                raise AttributeError(message)
            with self._lock:
                self._complete()
            if name not in vars(module) and vars(module)["__getattr__"] is ask_whole:
                raise AttributeError(message)  # by what completes the module
            return getattr(module, name)

        vars(module)["__getattr__"] = ask_whole
        self._module = module

    def complete_unless_busy(self) -> None:
        """Complete the module; not while another thread does, which may wait for this import."""
        if self._lock.acquire(blocking=False):
            try:
                self._complete()
            finally:
                self._lock.release()

    def _complete(self) -> None:
        module, self._module = self._module, None
        if module is None:
            return
        if self._finder in sys.meta_path:
            sys.meta_path.remove(self._finder)
        if module.__spec__ is not None:
            module.__spec__.loader = module.__loader__ = self._whole
        self._whole.exec_module(module)
        _add_documentation()


def _core_names() -> dict[str, object]:
    """The names of the core, which is imported with what it hardly uses standing aside."""
    late = (*_LATE, *_DOCUMENTATION)
    stand_ins = {name: _StandIn(name) for name in late if name not in sys.modules}
    sys.modules.update(stand_ins)
    try:
        core = import_module("numpy._core")
        compiled = import_module("numpy._core.multiarray")
    finally:
        for name, stand_in in stand_ins.items():
            if sys.modules.get(name) is stand_in:
                del sys.modules[name]
    return {
        **{name: getattr(core, name) for name in core.__all__},
        **{name: getattr(compiled, name) for name in _COMPILED},
    }


def _add_documentation() -> None:
    """Give functions of the core the texts and signatures that stand-ins have put off."""
    from inspect import signature  # noqa: PLC0415 not needed for the core

    for name in _DOCUMENTATION:
        import_module(name)
    for function in getattr(import_module("numpy._core.overrides"), "ARRAY_FUNCTIONS", ()):
        origin = getattr(function, "__signature__", None)
        if isinstance(origin, FunctionType):
            function.__signature__ = signature(origin)


class _StandIn(ModuleType):
    """A module that is imported when something of it is used."""

    def __getattr__(self, name: str) -> object:
        if self.__name__ == "inspect" and name in {"cleandoc", "signature"}:
            return _as_it_is
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def _as_it_is(doc: object) -> object:
    return doc
