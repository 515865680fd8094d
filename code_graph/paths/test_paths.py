"""Recognition of test files by their paths."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

# stricter than what lowers a rank in searches: these files are left out, or are tests for sure
_FOLDERS: Final = frozenset(
    {"testing", "__tests__", "testsuite", "testsuites", "testdata", "testcases", "unittests"}
    | {"selftest", "selftests", "e2e", "spec", "specs", "fixtures"}
)
_FOLDER: Final = re.compile(r"(?:^|[-_.])tests?$")
# names that say what a file is about, unless another word stands beside them
_ALONE: Final = re.compile(r"(?:spec|specs)\.\w+$", re.IGNORECASE)
_NAME: Final = re.compile(
    r"(?:^|[-_.])(?:test|tests|spec|specs|unittest|conftest|selftest|kunit)(?:[-_.]|$)",
    re.IGNORECASE,
)
# `src/shop/test.py` and `shop/testing.py`, which their package ships
_SHIPPED: Final = re.compile(r"(?:(?:^|/)src/.+/test|./testing)\.pyi?$")
# FooTest.java, FooTests.swift, TestFoo.java
_CAMEL: Final = re.compile(r"^(?:Test[A-Z]\w*|\w*[a-z0-9](?:Test|Tests|TestCase|Spec|IT))\.\w+$")


def is_test(path: str) -> bool:
    """True if a path is a test or a file for tests."""
    folder, _, name = path.rpartition("/")
    if folder and _is_in_tests(folder):
        return True
    if _ALONE.match(name) or is_shipped(path):
        return False
    return _NAME.search(name) is not None or _CAMEL.match(name) is not None


def is_shipped(path: str) -> bool:
    """True for a Python module about tests that a package ships, by its name alone.

    These are `testing.py` in a folder, and `test.py` in a package below `src`: elsewhere `test.py`
    has the tests of what is beside it, as `tests.py` always has.
    """
    return _SHIPPED.search(path) is not None


# a tree has many files in few folders
@lru_cache(maxsize=4096)
def _is_in_tests(folder: str) -> bool:
    names = folder.lower().split("/")
    return any(name in _FOLDERS or _FOLDER.search(name) is not None for name in names)
