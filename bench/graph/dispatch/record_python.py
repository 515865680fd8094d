"""Runs a module of Python and writes down which functions of a folder call which.

    python record_python.py ROOT OUT MODULE [ARGUMENT …]

It runs in the environment of the project that is recorded, and imports nothing but the standard
library. OUT gets JSON lines: `caller` and `callee` are path, first line (decorators included) and
qualified name. `way` is `direct`, `builtin` if a function in C was called and it called back, and
`library` if frames of files outside ROOT were between; `by` says which ones. `op` is the
instruction that the caller was at, `late` is true for the first step of a generator or coroutine,
which another frame than its maker may take. `ran` is a function with the lines of it that ran.
"""

from __future__ import annotations

import atexit
import dis
import json
import os
import runpy
import sys
import threading
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

_SKIPPED = frozenset({"site-packages", "node_modules", ".venv", "venv"})
_UNNAMED = frozenset({"<module>", "<lambda>", "<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"})
_LATE = 0x20 | 0x80 | 0x200  # generators, coroutines, asynchronous generators
_CACHE = 0
_OPTIMIZED = 0x1  # set for functions, and not for bodies of classes


class Recorder:
    """Pairs of functions, as `sys.setprofile` reports them, and lines, as `sys.settrace` does."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root) + os.sep
        self.kept: dict[int, CodeType] = {}  # equal code of two files is told apart by its id
        self.paths: dict[int, str | None] = {}  # code by id → path inside, or None
        self.starts: dict[
            CodeType, int
        ] = {}  # code of a generator → offset of the instruction that it starts with
        self.ops: dict[tuple[CodeType, int], str] = {}  # code and offset → name of the instruction
        self.pairs: dict[tuple[Any, ...], int] = {}
        self.lines: dict[int, set[int]] = {}
        self.builtins: dict[FrameType, object] = {}  # frame → the function in C that it is calling

    def path_of(self, code: CodeType) -> str | None:
        """The path of code inside the root; None outside."""
        try:
            return self.paths[id(code)]
        except KeyError:
            self.kept[id(code)] = code
        name = code.co_filename
        path = None
        if not name.startswith("<"):
            full = os.path.realpath(name)
            if full.startswith(self.root):
                path = full[len(self.root) :].replace(os.sep, "/")
                if not _SKIPPED.isdisjoint(path.split("/")):
                    path = None
        self.paths[id(code)] = path
        return path

    def profile(self, frame: FrameType, event: str, arg: object) -> None:
        """Take an event of the interpreter."""
        code = frame.f_code
        if event == "call":
            if self.path_of(code) is not None and self.is_function(code):
                self.enter(frame, code)
        elif event == "c_call":
            if self.path_of(code) is not None:
                self.builtins[frame] = arg
        elif event in ("c_return", "c_exception"):
            self.builtins.pop(frame, None)

    def is_function(self, code: CodeType) -> bool:
        """True for a function with a name."""
        return bool(code.co_flags & _OPTIMIZED) and code.co_name not in _UNNAMED

    def enter(self, frame: FrameType, code: CodeType) -> None:
        """Note who called this frame, unless it goes on after a `yield` or `await`."""
        late = bool(code.co_flags & _LATE)
        if late and frame.f_lasti > self.start_of(code):
            return
        caller = frame.f_back
        while caller is not None and self.path_of(caller.f_code) is None:
            caller = caller.f_back
        if caller is None:
            return
        way, by = "direct", ""
        if caller is not frame.f_back:
            way, by = "library", self.between(frame, caller)
        elif caller in self.builtins:
            way, by = "builtin", getattr(self.builtins[caller], "__qualname__", "?")
        above = caller.f_code
        op = self.op_at(above, caller.f_lasti)
        key = (id(above), caller.f_lineno, id(code), way, by, op, late)
        self.pairs[key] = self.pairs.get(key, 0) + 1

    def op_at(self, code: CodeType, offset: int) -> str:
        """The name of the instruction at an offset, which may be a cache behind it."""
        key = code, offset
        if key not in self.ops:
            while offset > 0 and code.co_code[offset] == _CACHE:
                offset -= 2
            self.ops[key] = dis.opname[code.co_code[offset]] if offset >= 0 else ""
        return self.ops[key]

    def start_of(self, code: CodeType) -> int:
        """The offset of the first RESUME of a generator."""
        if code not in self.starts:
            found = (item.offset for item in dis.get_instructions(code) if item.opname == "RESUME")
            self.starts[code] = next(found, 0)
        return self.starts[code]

    def between(self, frame: FrameType, caller: FrameType) -> str:
        """The outer frames nearest to the callee and to the caller."""
        inside: list[str] = []
        above = frame.f_back
        while above is not None and above is not caller:
            inside.append(_name(above))
            above = above.f_back
        return f"{inside[-1]} … {inside[0]}" if len(inside) > 1 else inside[0]

    def trace(self, frame: FrameType, _event: str, _arg: object) -> Any:  # noqa: ANN401 as sys says
        """Take an event of a new frame: lines of files inside are noted."""
        code = frame.f_code
        if self.path_of(code) is None:
            return None
        lines = self.lines.setdefault(id(code), set())

        def note(inner: FrameType, _event: str, _arg: object) -> Any:  # noqa: ANN401
            lines.add(inner.f_lineno)
            return note

        return note

    def write(self, out: str) -> None:
        """Store all of it, in the order of the text."""
        sys.setprofile(None)
        sys.settrace(None)
        rows = []
        for (above, line, code, way, by, op, late), count in self.pairs.items():
            rows.append(
                {
                    "caller": self.place(above),
                    "line": line,
                    "callee": self.place(code),
                    "way": way,
                    "by": by,
                    "op": op,
                    "late": late,
                    "count": count,
                }
            )
        for code, lines in self.lines.items():
            rows.append({"ran": self.place(code), "lines": sorted(lines)})
        texts = sorted(json.dumps(row, sort_keys=True) for row in rows)
        Path(out).write_text("".join(text + "\n" for text in texts), encoding="utf-8")

    def place(self, number: int) -> list[Any]:
        """Path, first line and qualified name of code by its id."""
        code = self.kept[number]
        return [self.path_of(code), code.co_firstlineno, code.co_qualname]


def _name(frame: FrameType) -> str:
    return f"{frame.f_globals.get('__name__', '?')}.{frame.f_code.co_name}"


def main() -> None:
    """Run the module under the recorder."""
    root, out, module = sys.argv[1:4]
    recorder = Recorder(root)
    atexit.register(recorder.write, str(Path(out).resolve()))
    sys.argv = [module, *sys.argv[4:]]
    sys.path[0] = str(Path.cwd())
    threading.setprofile(recorder.profile)
    threading.settrace(recorder.trace)
    sys.setprofile(recorder.profile)
    sys.settrace(recorder.trace)
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
