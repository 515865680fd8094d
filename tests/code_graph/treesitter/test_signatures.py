"""Signatures are one line of code: comments between parameters are no part of it."""

from __future__ import annotations

import pytest

from code_graph.treesitter.adapter import adapter

HEADS = {
    "go": (
        (
            "package a\n\nfunc f(a int, // first\n\tb string /* second */) (x int, // result\n"
            "\terr error) {\n\treturn\n}\n"
        ),
        "func f(a int, b string ) (x int, err error)",
        "(a int, b string )",
    ),
    "typescript": (
        'function f(a: number, // first\n b: string = "http://x" /* second */): string {\n}\n',
        'function f(a: number, b: string = "http://x" ): string',
        '(a: number, b: string = "http://x" )',
    ),
    "java": (
        "class C {\n  int f(int a, // first\n   String b) { return 1; }\n}\n",
        "int f(int a, String b)",
        "(int a, String b)",
    ),
    "c": (
        "int f(int a, // first\n  char *b /* second */)\n{ return 1; }\n",
        "int f(int a, char *b )",
        "(int a, char *b )",
    ),
    "rust": (
        "fn f(a: u8, // first\n  b: &str) -> u8 { 1 }\n",
        "fn f(a: u8, b: &str) -> u8",
        "(a: u8, b: &str)",
    ),
    "kotlin": (
        'fun f(a: Int, // first\n  b: String = "// no"): Int { return 1 }\n',
        'fun f(a: Int, b: String = "// no"): Int',
        '(a: Int, b: String = "// no")',
    ),
    "php": (
        "<?php\nfunction f(int $a, // first\n  string $b) { return 1; }\n",
        "function f(int $a, string $b)",
        "(int $a, string $b)",
    ),
    "ruby": ("def f(a, # first\n  b)\n  1\nend\n", "def f(a, b)", "(a, b)"),
    "swift": (
        "func f(a: Int, // first\n  b: String) -> Int { return 1 }\n",
        "func f(a: Int, b: String) -> Int",
        "(a: Int, b: String)",
    ),
}


@pytest.mark.parametrize("language", HEADS)
def test_comments_between_parameters_are_left_out(language: str) -> None:
    text, signature, parameters = HEADS[language]
    found = adapter(language).facts("a", text).declarations
    (row,) = (item for item in found if item.name == "f")
    assert (row.signature, row.parameters, row.parameter_count) == (signature, parameters, 2)
