"""Uses of Python names whose import is an error are found through other modules."""

from __future__ import annotations

from bench.changes.python_imports import ignored_lines, uses_of_broken_imports

TEXTS = {
    "src/a/__init__.py": "from .one import gone as gone\nfrom .one import kept\n",
    "src/a/one.py": "kept = 1\n",
    "src/a/two.py": "from .one import gone as own, kept\n\nown(kept)\n",
    "tests/test_a.py": "from a import (\n    gone,\n    kept,\n)\n\n\n@gone\ndef f(): ...\n",
}


def test_uses_of_a_broken_import_are_found() -> None:
    message = '"gone" is unknown import symbol'
    messages = {"src/a/__init__.py": [(1, message)], "src/a/two.py": [(1, message)]}
    assert {*uses_of_broken_imports(TEXTS, messages)} == {
        ("src/a/__init__.py", 1),
        ("src/a/two.py", 1),
        ("src/a/two.py", 3),
        ("tests/test_a.py", 2),
        ("tests/test_a.py", 7),
    }
    assert not [*uses_of_broken_imports(TEXTS, {"src/a/one.py": [(1, "of another kind")]})]


def test_lines_whose_errors_are_ignored_are_known() -> None:
    assert [*ignored_lines("a\nb  # type: ignore\nc  # pyright: ignore[x]\n# a type\n")] == [2, 3]
