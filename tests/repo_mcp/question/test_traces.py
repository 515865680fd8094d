"""Frames of stack traces in every supported format."""

from __future__ import annotations

import pytest

from repo_mcp.question.traces import parse_traces
from repo_mcp.question.weights import PromptWeights

PYTHON = """Traceback (most recent call last):
  File "/home/u/app.py", line 10, in <module>
    main()
    ^^^^^^
  File "/srv/shop/prices.py", line 12, in net_price
    raise ValueError("no")
ValueError: no"""
FORMS = {
    "python": ('  File "/srv/shop/prices.py", line 12, in net_price', "/srv/shop/prices.py", 12),
    "java": ("\tat com.example.Foo$Bar.baz(Foo.java:42)", "com/example/Foo.java", 42),
    "java module": (
        "\tat java.base/java.util.ArrayList.forEach(ArrayList.java:1511)",
        "java/util/ArrayList.java",
        1511,
    ),
    "node": ("    at Object.foo [as bar] (/u/src/lib/foo.js:10:5)", "/u/src/lib/foo.js", 10),
    "node without a name": ("    at file:///u/index.mjs:3:1", "file:/u/index.mjs", 3),
    "firefox": ("render@http://localhost/src/app.js:7:13", "http://localhost/src/app.js", 7),
    "gdb": ("#0  0x00007f in open_valve (v=0x0) at c/valve.c:9", "c/valve.c", 9),
    "sanitizer": ("    #1 0x4f in main /src/a.c:12:3", "/src/a.c", 12),
    "compiler": ("fs/ext4/inode.c:123:5: error: 'foo' undeclared", "fs/ext4/inode.c", 123),
    "msvc": ("src\\app\\main.cs(12,5): error CS0103", "src/app/main.cs", 12),
    "csharp": (
        "   at MyApp.UserService.GetName(Int32 id) in C:\\src\\UserService.cs:line 42",
        "C:/src/UserService.cs",
        42,
    ),
    "rust": ("thread 'main' panicked at src/parser/line.rs:55:9:", "src/parser/line.rs", 55),
    "ruby": ("app/models/user.rb:12:in `name'", "app/models/user.rb", 12),
    "php": ("#0 /var/www/index.php(12): run()", "/var/www/index.php", 12),
    "swift": ("Fatal error: Index out of range: file Main.swift, line 4", "Main.swift", 4),
    "pytest": ("tests/test_foo.py:12: AssertionError", "tests/test_foo.py", 12),
    "link": (
        "https://github.com/o/r/blob/main/Lib/ast.py#L12-L40",
        "https://github.com/o/r/blob/main/Lib/ast.py",
        12,
    ),
    "prose": ("see lib/a.ts, line 30 for that", "lib/a.ts", 30),
}
FUNCTIONS = {
    "python": ('  File "/srv/shop/prices.py", line 12, in net_price', "net_price"),
    "java": ("\tat com.example.Foo.baz(Foo.java:42)", "baz"),
    "node": ("    at async Cart.render (/u/cart.js:10:5)", "render"),
    "go": ("main.(*Server).process(0xc000010000)\n\t/u/server.go:88 +0x1d", "process"),
    "go closure": ("main.main.func1()\n\t/u/main.go:12 +0x85", "main"),
    "rust": ("   2: app::parser::parse_line\n             at ./src/line.rs:55:9", "parse_line"),
    "gdb": ("#0  0x00007f in open_valve (v=0x0) at c/valve.c:9", "open_valve"),
    "c++": ("#3 0x4f in ns::Pump::start(int) /tmp/pump.cc:12:3", "start"),
    "csharp": ("   at A.B.GetName(Int32 id) in /src/B.cs:line 42", "GetName"),
    "csharp async": ("   at A.B.<Load>d__3.MoveNext() in /src/B.cs:line 7", "Load"),
    "kernel": ("RIP: 0010:hub_event+0x1a/0x2b [usbcore]", "hub_event"),
    "kernel, cut": (" hub_event.isra.0+0x1a/0x2b", "hub_event"),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_gives_file_and_line(form: str) -> None:
    text, path, line = FORMS[form]
    assert [(frame.path, frame.line) for frame in parse_traces(text).frames] == [(path, line)]


@pytest.mark.parametrize("form", FUNCTIONS)
def test_forms_that_tell_the_function_give_it(form: str) -> None:
    text, function = FUNCTIONS[form]
    assert [frame.function for frame in parse_traces(text).frames] == [function]


def test_in_python_the_last_frame_is_the_innermost() -> None:
    frames = parse_traces(PYTHON).frames
    assert [(frame.function, frame.depth) for frame in frames] == [("net_price", 0), ("", 1)]


def test_elsewhere_the_first_frame_is_the_innermost() -> None:
    frames = parse_traces("\tat a.B.inner(B.java:1)\n\tat a.C.outer(C.java:2)").frames
    assert [(frame.function, frame.depth) for frame in frames] == [("inner", 0), ("outer", 1)]


def test_lines_of_a_trace_are_separated_from_prose() -> None:
    text = f"It fails like this:\n{PYTHON}\nWhat now?"
    rows = parse_traces(text).rows
    kept = [row for number, row in enumerate(text.split("\n")) if number not in rows]
    assert kept == ["It fails like this:", "ValueError: no", "What now?"]


@pytest.mark.parametrize(
    "text", ["", "12:30", "e.g. this", "http://x.com:8080/a b", "a:b:c", "1.5:3"]
)
def test_text_without_a_frame_gives_none(text: str) -> None:
    assert [frame for frame in parse_traces(text).frames if frame.path != "http://x.com"] == []


def test_the_number_of_frames_is_bounded() -> None:
    assert len(parse_traces("a.py:1\n" * 10_000).frames) == PromptWeights.MOST_TRACE_FRAMES
