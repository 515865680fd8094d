"""Each description that only tells what a library calls, with an example of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_graph import Languages
from code_graph.contracts.descriptions import Descriptions, read_description
from code_graph.contracts.read.file_contracts import read_contracts
from code_graph.expressions import ContractRole
from code_graph.link.linker import GraphLinker
from code_graph.link.source_tree import SourceTree
from code_graph.model import Strategy
from tests.code_graph.contracts.test_frameworks import LANGUAGES, has_contracts

# a file's name, its text, and the one name that this description tells of
EXAMPLES = {
    "csharp/aspnet_hooks": (
        "A.cs",
        "class A : BackgroundService {\n  protected override Task ExecuteAsync() {}\n}\n",
        "ExecuteAsync",
    ),
    "csharp/xunit": (
        "A.cs",
        "class A {\n  [Fact]\n  public void One() {}\n  void Two() {}\n}\n",
        "One",
    ),
    "ecmascript/elements": (
        "a.js",
        "class A extends HTMLElement {\n  connectedCallback() {}\n  own() {}\n}\n",
        "connectedCallback",
    ),
    "ecmascript/nest_calls": (
        "a.ts",
        "import { Cron } from '@nestjs/schedule';\nclass A {\n  @Cron('* * * * *')\n  f() {}\n}\n",
        "f",
    ),
    "ecmascript/react": (
        "a.jsx",
        "import React from 'react';\nclass A extends React.Component {\n  render() {}\n}\n",
        "render",
    ),
    "elixir/otp": (
        "a.ex",
        "defmodule A do\n  use GenServer\n  def init(x), do: x\n  def own, do: 1\nend\n",
        "init",
    ),
    "go/callbacks": (
        "a.go",
        "package a\n\nfunc run() error {}\nfunc main() { cobra.OnInitialize(run) }\n",
        "run",
    ),
    "go/testing": (
        "a_test.go",
        'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\nfunc own() {}\n',
        "TestA",
    ),
    "java/jakarta": (
        "A.java",
        "class A extends HttpServlet {\n  void doGet() {}\n  void own() {}\n}\n",
        "doGet",
    ),
    "java/junit": ("A.java", "class A {\n  @Test\n  void one() {}\n  void two() {}\n}\n", "one"),
    "java/spring_hooks": ("A.java", "class A {\n  @Scheduled\n  void on() {}\n}\n", "on"),
    "kotlin/hooks": ("A.kt", "class A {\n  @Test\n  fun one() {}\n  fun two() {}\n}\n", "one"),
    "php/laravel_hooks": (
        "a.php",
        (
            "<?php\nuse Illuminate\\Console\\Command;\nclass A extends Command {\n"
            "  function handle() {}\n  function own() {}\n}\n"
        ),
        "handle",
    ),
    "php/symfony_hooks": (
        "a.php",
        "<?php\nclass A {\n  #[AsMessageHandler]\n  function on() {}\n  function own() {}\n}\n",
        "on",
    ),
    "python/celery": (
        "a.py",
        "from celery import shared_task\n@shared_task\ndef f(): ...\n",
        "f",
    ),
    "python/commands": ("a.py", "import click\n@click.command()\ndef f(): ...\n", "f"),
    "python/django_forms": (
        "a.py",
        "from django import forms\nclass A(forms.Form):\n    def clean_name(self): ...\n",
        "clean_name",
    ),
    "python/django_hooks": (
        "a.py",
        "from django.db import migrations\ndef fill(apps): ...\nmigrations.RunPython(fill)\n",
        "fill",
    ),
    "python/django_models": (
        "a.py",
        "from django.db import models\nclass A(models.Model):\n    def save(self): ...\n",
        "save",
    ),
    "python/django_rest": (
        "a.py",
        "from rest_framework.views import APIView\nclass A(APIView):\n    def post(self): ...\n",
        "post",
    ),
    "python/django_views": (
        "a.py",
        "from django.views import View\nclass A(View):\n    def get(self): ...\n",
        "get",
    ),
    "python/fastapi_hooks": (
        "a.py",
        "from fastapi import Depends\ndef f(): ...\ndef g(x=Depends(f)): ...\n",
        "f",
    ),
    "python/flask_hooks": (
        "a.py",
        "from flask import Flask\napp = Flask('a')\n@app.errorhandler(404)\ndef f(e): ...\n",
        "f",
    ),
    "python/operators": ("a.py", "class A:\n    def __iter__(self): ...\n", "__iter__"),
    "python/pydantic": (
        "a.py",
        (
            "from pydantic import field_validator\nclass A:\n    @field_validator('x')\n"
            "    def f(cls, x): ...\n"
        ),
        "f",
    ),
    "python/signals": (
        "a.py",
        "from django.dispatch import receiver\n@receiver(s)\ndef f(**k): ...\n",
        "f",
    ),
    "python/sqlalchemy_events": (
        "a.py",
        "from sqlalchemy import event\n@event.listens_for(T, 'load')\ndef f(t): ...\n",
        "f",
    ),
    "python/standard_library": (
        "a.py",
        "import threading\nclass A(threading.Thread):\n    def run(self): ...\n",
        "run",
    ),
    "python/standard_parsing": (
        "a.py",
        "import ast\nclass A(ast.NodeVisitor):\n    def visit_Name(self, node): ...\n",
        "visit_Name",
    ),
    "python/testing": (
        "a.py",
        "from hypothesis import given\n@given(x)\ndef f(x): ...\n",
        "f",
    ),
    "ruby/rails_hooks": (
        "a.rb",
        "class A < Shown\n  before_action :check\n  def check; end\n  def own; end\nend\n",
        "check",
    ),
    "ruby/tests_and_jobs": (
        "a.rb",
        "class A < Minitest::Test\n  def test_one; end\n  def own; end\nend\n",
        "test_one",
    ),
    "rust/hooks": ("a.rs", "#[test]\nfn one() {}\nfn two() {}\n", "one"),
    "scala/hooks": (
        "A.scala",
        "class A extends Actor {\n  def receive = 1\n  def own = 2\n}\n",
        "receive",
    ),
}


def only_runs(file: Path) -> bool:
    """A description says what a library calls, and nothing else."""
    rules, _ = read_description(file.name, file.read_text(encoding="utf-8"))
    return not has_contracts(file) and any(rule.role == ContractRole.RUNS for rule in rules)


def test_each_description_of_what_is_called_has_an_example() -> None:
    files = [file for file in LANGUAGES.glob("*/frameworks/*.toml") if only_runs(file)]
    assert files
    assert sorted(EXAMPLES) == sorted(f"{file.parts[-3]}/{file.stem}" for file in files)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_description_alone_tells_what_is_called(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, text, expected = EXAMPLES[name]
    folder, _, stem = name.partition("/")
    file = Path(LANGUAGES / folder / "frameworks" / f"{stem}.toml")
    alone = Descriptions(*read_description(stem, file.read_text(encoding="utf-8")))
    monkeypatch.setattr("code_graph.contracts.read.file_contracts.descriptions_of", lambda _: alone)
    adapter = Languages().adapter_for(path)
    assert adapter is not None
    found = read_contracts(text, adapter.facts(path, text))
    lines = text.split("\n")
    called = {
        lines[item.handler[0] - 1][item.handler[1] :][: len(expected)]
        for item in found
        if item.role == ContractRole.RUNS
    }
    assert called == {expected}


def test_a_handler_that_a_decorator_registers_is_called_at_one_place() -> None:
    text = (
        "from flask import Flask\napp = Flask('a')\n@app.route('/items')\ndef items(): ...\n"
        "@app.errorhandler(404)\ndef missing(e): ...\n"
    )
    linked = GraphLinker(SourceTree({"a.py": text})).link("a.py")
    places = [
        (edge.line, edge.target) for edge in linked.edges if edge.strategy == Strategy.FRAMEWORK
    ]
    assert sorted(line for line, _ in places) == [3, 5]
    assert len({target for _, target in places}) == len(places)
