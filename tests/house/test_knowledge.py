"""Knowledge of a language or a framework stands in its folder: neutral rooms have no word of it.

A word counts in a text that the program uses, not in a docstring or a comment, which may explain.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT = Path(__file__).parents[2] / "code_graph"
ROOMS: Final = (
    *("contracts", "declared", "evaluate", "link", "query", "store", "treesitter", "lines"),
    *("facts", "expressions", "scip", "export"),
)
# by what knows them: expressions for words of its own
WORDS: Final = {
    "Python": r"__[a-z_]+__|\b(?:builtins|typing|unittest|collections)\.|\bunittest\b|\bpytest\b"
    r"|\bfunctools\b|\basyncio\b|\b(?:is|has|get|set|del)attr\b|\bisinstance\b|\bimport_module\b"
    r"|\bdataclass|\bsetdefault\b|\bappendleft\b",
    "JavaScript": r"\bmodule\.exports\b|\bundefined\b|\btypeof\b|\bPromise\b",
    "Java": r"\bjava\.|\bServiceLoader\b|\binstanceof\b|\bforName\b|\bgetBeans?\b|\bSerializable\b"
    r"|\bStringBuilder\b|\bCloseable\b",
    "C#": r"\bSystem\.|\bIEnumerable\b|\bActivator\b|\bGetRequiredService\b|\bIDisposable\b",
    "Rust": r"\bstd::|\bunimplemented!|\btodo!|\bimpl_|\bserde\b",
    "Go": r"\bgo\.mod\b|\bchan\b|\bcontext\.Context\b",
    "C": r"\b(?:EXPORT_SYMBOL|SYSCALL_DEFINE|container_of|module_init|Q_OBJECT|CV_EXPORTS)\b",
    "Kotlin, Scala, Swift": r"\bTODO\(|\?{3}|\bAnyRef\b|\bSendable\b|\bcompanion\b",
    "Ruby": r"\battr_\w+|\brequire_relative\b|\bActiveRecord\b",
    "frameworks": r"(?i)\b(?:angular|react|redux|mobx|vue|nuxt|nextjs|svelte|remix|astro|razor"
    r"|express|nestjs|django|drf|flask|fastapi|celery|sqlalchemy|pydantic|spring|junit|mockito|mockk|sinon"
    r"|rails|sinatra|laravel|symfony|actix|axum|gin|grpc|qt|opencv|abseil|gtest|kubernetes|docker"
    r"|dockerfile|marathon|helm)\b|as_view|copy_current_request_context|partial_update",
}
# texts that are no knowledge: the module, and why
ALLOWED: Final = {
    "scip/matching.py Python: __init__": "names by which indexers of compilers call constructors",
    "scip/matching.py Python: __new__": "names by which indexers of compilers call constructors",
    "export/scip_symbols.py Python: __file__": "the descriptor of a file in symbols of SCIP",
    "contracts/templates.py JavaScript: undefined": "the language of expressions in templates",
    "contracts/templates.py JavaScript: typeof": "the language of expressions in templates",
    "contracts/read/made_paths.py JavaScript: undefined": "names for nothing in texts of code",
}


def texts_of(source: str) -> Iterator[str]:
    """The texts of a module that are no docstrings."""
    tree = ast.parse(source)
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in documented:
            yield from [node.value] if isinstance(node.value, str) else ()


def known_in(source: str) -> set[str]:
    """The words of languages and frameworks in a module, behind what knows them."""
    return {
        f"{name}: {word[0]}"
        for text in texts_of(source)
        for name, pattern in WORDS.items()
        for word in re.finditer(pattern, text)
    }


def test_a_word_in_a_text_is_found_and_one_in_a_docstring_is_not() -> None:
    source = '"""As Flask has it."""\nFIRST = {"__init__", f"builtins.{kind}", "list"}\n'
    assert known_in(source) == {"Python: __init__", "Python: builtins."}


@pytest.mark.parametrize("room", ROOMS)
def test_neutral_rooms_know_no_language_and_no_framework(room: str) -> None:
    paths = [*(ROOT / room).rglob("*.py")]
    assert paths
    known = {
        f"{path.relative_to(ROOT).as_posix()} {word}"
        for path in paths
        for word in known_in(path.read_text("utf-8"))
    }
    here = {word for word in ALLOWED if word.startswith(f"{room}/")}
    assert known == here
