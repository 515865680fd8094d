"""Finds frames in a text, in the formats of stack traces, compilers and people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.question.weights import PromptWeights as Weights

# a path in a trace: perhaps with a drive or a scheme, never with blanks
_PATH: Final = (
    r"(?<![\w./\\+-])(?:\w{2,10}:/{2,3})?(?:[A-Za-z]:)?"
    r"[^\s\"'`()<>\[\]{},;:|*?]{1,400}\.[A-Za-z][A-Za-z0-9_+]{0,9}"
)
_NUMBER: Final = r"(?P<line>\d{1,7})"
# formats of a frame with their languages; the first that matches some text counts
_FORMS: Final = (
    # Python
    rf'File "(?P<path>[^"\n]{{1,500}})", line {_NUMBER}(?:, in (?P<function>[^\s(]+))?',
    # C sharp
    (
        r"\bat (?P<function>[^\s(]{1,300})\([^\n]{0,500}?\) in (?P<path>[^\n]{1,500}?)"
        rf":line {_NUMBER}"
    ),
    # Java, Kotlin, Scala
    rf"\bat (?:[\w.@-]+/)?(?P<function>[\w.$<>]{{1,300}})\((?P<path>[\w$]+\.\w+):{_NUMBER}\)",
    # JavaScript
    (
        r"\bat (?:async )?(?:new )?(?P<function>[^\s(]{1,300})(?: \[as [^\]\n]+\])? "
        rf"\((?P<path>{_PATH}):{_NUMBER}(?::\d+)?\)"
    ),
    rf"(?P<function>[\w$./<]{{0,200}})@(?P<path>{_PATH}):{_NUMBER}:\d+",
    # gdb, lldb, sanitizers, perf
    (
        r"#\d+ +(?:0x[0-9a-fA-F]+ +)?(?:in +)?(?P<function>[\w:~<>$.]{1,300})"
        rf"(?: ?\([^\n]{{0,500}}?\))? (?:at )?(?P<path>{_PATH}):{_NUMBER}"
    ),
    # PHP
    rf"#\d+ (?P<path>{_PATH})\({_NUMBER}\): (?P<function>[\w\\:>-]{{1,200}})",
    # MSVC, tsc
    rf"(?P<path>{_PATH})\({_NUMBER}(?:,\d+)?\)",
    # Ruby
    rf"(?P<path>{_PATH}):{_NUMBER}:in [`'](?P<function>[^'\n]{{1,200}})'",
    # links to a hosted repository
    rf"(?P<path>{_PATH})#L{_NUMBER}(?:-L?\d+)?",
    # compilers, Go, Rust, Swift, pytest, grep, people
    rf"(?P<path>{_PATH}):{_NUMBER}(?::\d+)?",
    rf"(?P<path>{_PATH}),? (?:on |at )?line {_NUMBER}",
)
# what each of them has
_MAY_BE_FRAME: Final = re.compile(r"[:(]\d|\bline \d|#L\d|\+0x")
# the kernel's format: a function, an offset and the function's size
_OFFSET: Final = re.compile(r"\b(?P<function>[A-Za-z_][\w.]{2,120})\+0x[0-9a-f]+/0x[0-9a-f]+")
_IS_PYTHON: Final = re.compile(r'\s*File "')
# the line before a Go or Rust frame names its function
_CALLED_ABOVE: Final = re.compile(
    r"\s*(?:created by )?(?:\d+: +)?(?:0x[0-9a-f]+ - )?(?P<name>[^\s]{1,300}?)(?:\([^()]*\))?\s*$"
)
_ASYNC: Final = re.compile(r"<(\w+)>[db]__\d+")
_BEGINS_A_FRAME: Final = re.compile(r"\s+(?:at )?\S")
_MARKS: Final = re.compile(
    r"^\s*(?:\^|~)[\s^~]*$|^Traceback \(most recent call last\)|^goroutine \d+ \["
    r"|^stack backtrace:|^\s*</?(?:TASK|IRQ)>|^\s*(?:Call )?Trace:|^RIP: |^\s*\.\.\. \d+ more"
)
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*")
# parts of a qualified name without a name, and names that compilers generate
_NO_NAME: Final = re.compile(r"\blambda\$|<locals>|<[^<>]*>|\{\{.*?\}\}|::h[0-9a-f]{16}$|\$\d+")
_GENERATED: Final = re.compile(r"(?:func\d*|lambda|anonymous|closure)$")


class Frame(NamedTuple):
    """A frame; `depth` is 0 for the innermost one, 1 for its caller, and so on.

    `path` is empty if only the function is known; `owner` is the name before the last part of a
    qualified name.
    """

    path: str
    line: int
    function: str
    depth: int
    owner: str = ""


class Trace(NamedTuple):
    """Frames, and the numbers of the lines that have nothing else."""

    frames: tuple[Frame, ...]
    rows: frozenset[int]


class _TraceMatch(NamedTuple):
    row: int
    frame: Frame
    is_python: bool
    is_alone: bool


def parse_traces(text: str) -> Trace:
    """The frames of a text, and the lines that have nothing else."""
    rows = text.split("\n")
    found: list[_TraceMatch] = []
    quiet: set[int] = set()
    for number, row in enumerate(rows):
        if _MARKS.search(row[: Weights.LONGEST_TRACE_LINE]):
            quiet.add(number)
        above = rows[number - 1] if number else ""
        found += list(
            _frames_in(
                number,
                row[: Weights.LONGEST_TRACE_LINE],
                above[: Weights.LONGEST_TRACE_LINE],
            )
        )
        if len(found) >= Weights.MOST_TRACE_FRAMES:
            break
    for item in found:
        if item.is_alone:
            quiet.add(item.row)
        if item.is_python and item.row + 1 < len(rows) and rows[item.row + 1].startswith("    "):
            quiet.add(item.row + 1)  # the code that Python shows below a frame
    return Trace(tuple(_order_by_depth(found[: Weights.MOST_TRACE_FRAMES])), frozenset(quiet))


@cache
def _forms() -> Sequence[re.Pattern[str]]:
    """The formats, compiled for the first line that may have one: most prompts have none."""
    return [re.compile(form) for form in _FORMS]


def _frames_in(number: int, row: str, above: str) -> Iterator[_TraceMatch]:
    """The frames in one line, in order."""
    if _MAY_BE_FRAME.search(row) is None:
        return
    taken: list[tuple[int, int]] = []
    found: list[tuple[int, Frame]] = []
    for form in _forms():
        for match in form.finditer(row):
            if any(begin < match.end() and match.start() < end for begin, end in taken):
                continue
            taken.append(match.span())
            found.append((match.start(), _frame(match, above)))
    for match in _OFFSET.finditer(row):
        name = match["function"].split(".")[0]  # the compiler appends a part
        found.append((match.start(), Frame("", 0, name, 0)))
        taken.append(match.span())
    rest = row
    for begin, end in taken:
        rest = rest.replace(row[begin:end], " ")
    is_alone = bool(taken) and (row[:1].isspace() or len(rest.split()) <= Weights.FEW_WORDS)
    is_python = _IS_PYTHON.match(row) is not None
    for _, frame in sorted(found, key=lambda item: item[0]):
        yield _TraceMatch(number, frame, is_python, is_alone)


def _frame(match: re.Match[str], above: str) -> Frame:
    groups = match.groupdict()
    function = groups.get("function") or ""
    path = match["path"].replace("\\", "/").replace("///", "/")
    if not function and path.endswith((".go", ".rs")) and _BEGINS_A_FRAME.match(match.string):
        called = _CALLED_ABOVE.match(above)
        function = called["name"] if called else ""
    name, owner = _split_name(function)
    if path.endswith((".java", ".kt", ".scala", ".groovy")) and "/" not in path and "." in function:
        package = function.split(".")[:-2]
        path = "/".join([*package, path])
    return Frame(path, int(match["line"]), name, 0, owner)


def _split_name(function: str) -> tuple[str, str]:
    """The last name of a qualified one and the name before it: `a.b.C.f` gives f and C."""
    renamed = _ASYNC.search(function)  # C# renames asynchronous methods
    if renamed is not None:
        return renamed[1], ""
    names = [
        name for name in _NAME.findall(_NO_NAME.sub("", function)) if not _GENERATED.match(name)
    ]
    return (names[-1], names[-2] if len(names) > 1 else "") if names else ("", "")


def _order_by_depth(found: list[_TraceMatch]) -> Iterator[Frame]:
    """Frames with their depth: Python writes the innermost frame last, others write it first.

    Of chained traces, the original cause is the last one in Java and the first one in Python.
    """
    blocks: list[list[_TraceMatch]] = []
    for item in found:
        if (
            blocks
            and item.row - blocks[-1][-1].row <= Weights.SAME_TRACE
            and item.is_python == blocks[-1][-1].is_python
        ):
            blocks[-1].append(item)
        else:
            blocks.append([item])
    for block in blocks:
        ordered = reversed(block) if block[0].is_python else block
        for depth, item in enumerate(ordered):
            yield item.frame._replace(depth=depth)
