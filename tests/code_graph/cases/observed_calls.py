"""Runs a Python case and watches which of its functions call which."""

from __future__ import annotations

import functools
import inspect
import io
import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

_STEPWISE: Final = (
    inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
    | inspect.CO_ITERABLE_COROUTINE
)
_SEEN_BY_NAME: Final = frozenset({"__init__", "__call__"})
# caller, and the names that the callee may have in the truth
Call = tuple[str, tuple[str, ...]]


def observed_calls(root: Path, script: str = "main.py", *, with_implied: bool = False) -> set[Call]:
    """Calls between functions of the case; those that no call expression makes if they are wanted.

    A generator runs where it is advanced, not where it is called, so it is left out.
    """
    calls: set[Call] = set()
    module = script.removesuffix(".py")

    def profile(frame: FrameType, event: str, _argument: object) -> None:
        is_implied = not with_implied and _is_implied(frame.f_code.co_name)
        if event == "call" and not is_implied:
            call = _call(root, frame, module)
            calls.update(() if call is None else [call])

    with _importable(root), redirect_stdout(io.StringIO()):
        before = sys.getprofile()
        sys.setprofile(profile)
        try:
            runpy.run_path(str(root / script), run_name="__main__")
        finally:
            sys.setprofile(before)
    return calls


@contextmanager
def _importable(root: Path) -> Iterator[None]:
    """Let imports find the case, and forget its modules afterwards."""
    known = set(sys.modules)
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path.insert(0, str(root))
    try:
        yield
    finally:
        sys.path.remove(str(root))
        sys.dont_write_bytecode = written
        for name in set(sys.modules) - known:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(root)):
                del sys.modules[name]
        sys.path_importer_cache.clear()


def _is_implied(name: str) -> bool:
    return _is_special(name) and name not in _SEEN_BY_NAME


def _call(root: Path, frame: FrameType, main: str) -> Call | None:
    code, caller = frame.f_code, frame.f_back
    if not code.co_flags & inspect.CO_OPTIMIZED or code.co_flags & _STEPWISE:
        return None
    last = code.co_name
    if last.startswith("<"):
        return None
    target = _name(root, code)
    source = _name(root, caller.f_code) if caller is not None else None
    receiver = frame.f_locals.get(code.co_varnames[0]) if code.co_varnames else None
    if target is None or source is None or _is_property(receiver, last):
        return None
    names = [target]
    if last == "__init__":
        names = [target.rpartition(".")[0], f"{_module(root, code)}.{_class_name(receiver)}"]
        names.append(f"{sys.modules[type(receiver).__module__].__name__}.{_class_name(receiver)}")
        names = [name.replace("__main__.", f"{main}.") for name in names]
    return source, tuple(dict.fromkeys(names))


def _class_name(instance: object) -> str:
    return type(instance).__qualname__.replace(".<locals>", "")


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _is_property(receiver: Any, name: str) -> bool:  # noqa: ANN401 an instance of any class
    found = inspect.getattr_static(type(receiver), name, None)
    return isinstance(found, property | functools.cached_property)


def _module(root: Path, code: CodeType) -> str | None:
    path = Path(code.co_filename)
    if not path.is_relative_to(root):
        return None
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _name(root: Path, code: CodeType) -> str | None:
    """The qualified name of the innermost named function around, or that of the module."""
    module = _module(root, code)
    if module is None:
        return None
    named = [part for part in code.co_qualname.split(".") if not part.startswith("<")]
    return ".".join([module, *named])
