"""Which files are tests, by their paths."""

from __future__ import annotations

import re
from typing import Final

# stricter than what lowers a rank in searches: these files are left out, or are tests for sure
_FOLDERS: Final = frozenset(
    {"testing", "__tests__", "testsuite", "testsuites", "testdata", "testcases", "unittests"}
    | {"selftest", "selftests", "e2e", "spec", "specs", "fixtures"}
)
_FOLDER: Final = re.compile(r"(?:^|[-_.])tests?$")
_NAME: Final = re.compile(
    r"(?:^|[-_.])(?:test|tests|spec|specs|unittest|conftest|selftest|kunit)(?:[-_.]|$)",
    re.IGNORECASE,
)
# FooTest.java, FooTests.swift, TestFoo.java
_CAMEL: Final = re.compile(r"^(?:Test[A-Z]\w*|\w*[a-z0-9](?:Test|Tests|TestCase|Spec|IT))\.\w+$")


def is_test(path: str) -> bool:
    """Whether a path is a test or a file for tests."""
    *folders, name = path.split("/")
    if any(folder.lower() in _FOLDERS or _FOLDER.search(folder.lower()) for folder in folders):
        return True
    return _NAME.search(name) is not None or _CAMEL.match(name) is not None
