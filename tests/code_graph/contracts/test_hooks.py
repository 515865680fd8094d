"""Calls by libraries: of functions handed to them, marked, or members of their classes."""

from __future__ import annotations

import pytest

from code_graph.link.linker import GraphLinker
from code_graph.link.source_tree import SourceTree
from code_graph.model import EdgeType, Strategy

# a name of a file, its text, and the declarations that a library calls
EXAMPLES = [
    ("a.py", "import threading\ndef work(): ...\nthreading.Thread(target=work)\n", {"work"}),
    ("a.py", "def key(x): ...\ndef f(rows):\n    return sorted(rows, key=key)\n", {"key"}),
    ("a.py", "def f(): ...\nprint(f)\nx = [f]\nx.append(f)\n", set()),
    ("a.py", "def f(): ...\ndef take(g): g()\ntake(f)\n", set()),
    ("a.py", "from rq import q\ndef f(): ...\nf.delay(1)\n", {"f"}),
    ("a.py", "from lib import make\napp = make()\n@app.on('x')\ndef f(): ...\n", {"f"}),
    ("a.py", "from lib import mark\n@mark\ndef f(): ...\n", set()),
    ("a.py", "from celery import shared_task\n@shared_task\ndef f(): ...\n", {"f"}),
    (
        "a.py",
        "from django.dispatch import receiver\n@receiver(s)\ndef f(**k): ...\ndef g(): ...\n",
        {"f"},
    ),
    (
        "a.py",
        (
            "from django.db import models\n"
            "class A(models.Model):\n    def save(self): ...\n    def own(self): ...\n"
        ),
        {"save"},
    ),
    (
        "a.py",
        "from django import forms\nclass A(forms.Form):\n    def clean_name(self): ...\n",
        {"clean_name"},
    ),
    (
        "a.py",
        "import click\n@click.command()\ndef f(): ...\n",
        {"f"},
    ),
    (
        "a.py",
        "import argparse\ndef f(): ...\np = argparse.ArgumentParser()\np.set_defaults(func=f)\n",
        {"f"},
    ),
    (
        "a.py",
        "from sqlalchemy import event\n@event.listens_for(T, 'load')\ndef f(t): ...\n",
        {"f"},
    ),
    ("a.py", "class A:\n    def __iter__(self): ...\n    def own(self): ...\n", {"__iter__"}),
    (
        "a.ts",
        (
            "import { OnEvent } from '@nestjs/event-emitter';\n"
            "class A {\n  @OnEvent('x')\n  f() {}\n  g() {}\n}\n"
        ),
        {"f"},
    ),
    (
        "a.ts",
        "import { OnInit } from '@angular/core';\nclass A implements OnInit { ngOnInit() {} }\n",
        {"ngOnInit"},
    ),
    (
        "a.jsx",
        "import React from 'react';\nfunction go() {}\nconst A = () => <a onClick={go} />;\n",
        {"go"},
    ),
    ("a.js", "function f(x) { return x; }\n[1, 2].map(f);\n", {"f"}),
    (
        "A.java",
        "class A implements Runnable { public void run() {} void own() {} }\n",
        {"run"},
    ),
    ("A.java", "class A {\n  @Test\n  void one() {}\n  void two() {}\n}\n", {"one"}),
    ("A.java", "class A {\n  @EventListener\n  void on(E e) {}\n}\n", {"on"}),
    ("A.cs", "class A {\n  [Fact]\n  public void One() {}\n  void Two() {}\n}\n", {"One"}),
    (
        "A.cs",
        "class A : BackgroundService {\n  protected override Task ExecuteAsync() {}\n}\n",
        {"ExecuteAsync"},
    ),
    (
        "a_test.go",
        'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\nfunc own() {}\n',
        {"TestA"},
    ),
    (
        "a.go",
        "package a\n\nvar c = &cobra.Command{\n\tRunE: run,\n}\n\nfunc run() error {}\n",
        {"run"},
    ),
    (
        "a.rb",
        "class A < Shown\n  before_action :check\n  def check; end\n  def own; end\nend\n",
        {"check"},
    ),
    ("a.php", "<?php\nclass A extends TestCase { function testOne() {} }\n", {"testOne"}),
    (
        "a.ex",
        "defmodule A do\n  use GenServer\n  def init(x), do: x\n  def own, do: 1\nend\n",
        {"init"},
    ),
    ("A.scala", "class A extends Actor {\n  def receive = 1\n  def own = 2\n}\n", {"receive"}),
    (
        "a.tsx",
        "import React from 'react';\nclass A extends React.Component { render() {} }",
        {"render"},
    ),
    ("a.rs", "#[test]\nfn one() {}\nfn two() {}\n", {"one"}),
]


def called_by_libraries(path: str, text: str) -> set[str]:
    tree = SourceTree({path: text})
    linker = GraphLinker(tree)
    names = {symbol.id: symbol.qualified_name for symbol in linker.declared(path)}
    return {
        names[edge.target].replace("::", ".").replace("\\", ".").replace("#", ".").split(".")[-1]
        for edge in linker.link(path).edges
        if edge.strategy == Strategy.FRAMEWORK and edge.type == EdgeType.CALLS
    }


@pytest.mark.parametrize(("path", "text", "expected"), EXAMPLES)
def test_a_library_calls_what_it_is_handed(path: str, text: str, expected: set[str]) -> None:
    assert called_by_libraries(path, text) == expected


def test_a_function_in_the_place_of_another_overrides_it() -> None:
    texts = {
        "shop.py": "class Till:\n    def __init__(self): ...\n    def close(self): ...\n",
        "test_shop.py": (
            "from shop import Till\n\n"
            "def test(monkeypatch):\n"
            "    def start(self): ...\n"
            "    def end(self): ...\n"
            "    Till.__init__ = start\n"
            "    monkeypatch.setattr(Till, 'close', end)\n"
        ),
    }
    linker = GraphLinker(SourceTree(texts))
    names = {item.id: item.qualified_name for path in texts for item in linker.declared(path)}
    linked = linker.link("test_shop.py")
    own = {item.declaration: item.qualified_name for item in linked.symbols}
    assert {
        (own[edge.source], names[edge.target])
        for edge in linked.edges
        if edge.type == EdgeType.OVERRIDES
    } == {
        ("test_shop.test.start", "shop.Till.__init__"),
        ("test_shop.test.end", "shop.Till.close"),
    }
