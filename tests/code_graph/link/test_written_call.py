"""A call with an unknown target keeps the name before its own, and the number of its arguments."""

from __future__ import annotations

import pytest

from code_graph import GraphLinker, SourceTree
from code_graph.link.places import CallShape

PYTHON = "class Box:\n    def run(self, x, many, named):\n        {}\n"
SCRIPT = "class Box {{ run(x, many) {{ {} }} }}\n"
RUBY = "class Box\n  def run(x, many)\n    {}\n  end\nend\n"
PHP = "<?php class Box {{ function run($x, $many) {{ {}; }} }}\n"


@pytest.mark.parametrize(
    ("path", "text", "call", "expected"),
    [
        ("a.py", PYTHON, "x.save(1, 2)", ("x", 2, 0)),
        ("a.py", PYTHON, "x.save(1, key=2)", ("x", 1, 1)),
        ("a.py", PYTHON, "x.save(*many)", ("x", -1, 0)),
        ("a.py", PYTHON, "x.save(1, **named)", ("x", -1, 0)),
        ("a.py", PYTHON, "self.store.save()", ("store", 0, 0)),
        ("a.py", PYTHON, "self.save()", ("", 0, 0)),
        ("a.py", PYTHON, "x.store[0].save()", ("store", 0, 0)),
        ("a.py", PYTHON, "x.make_store(1).save()", ("make_store", 0, 0)),
        ("a.ts", SCRIPT, "(this as any).store.save(1)", ("store", 1, 0)),
        ("a.js", SCRIPT, "x?.save(1, ...many)", ("x", -1, 0)),
        ("a.js", SCRIPT, "this.store.save(() => 1)", ("store", 1, 0)),
        ("a.rb", RUBY, "x.save(1) { |y| y }", ("x", 1, 0)),
        ("a.rb", RUBY, "x.save(1, key: 2, &many)", ("x", 1, 1)),
        ("a.rb", RUBY, "x.save(*many)", ("x", -1, 0)),
        ("a.php", PHP, "$x->save(1)", ("$x", 1, 0)),
        ("a.php", PHP, "$this->store->save(...$many)", ("store", -1, 0)),
    ],
)
def test_what_is_written_of_a_call(
    path: str, text: str, call: str, expected: tuple[str, int, int]
) -> None:
    linked = GraphLinker(SourceTree({path: text.format(call)})).link(path)
    (use,) = [use for use in linked.unresolved if use.name == "save"]
    assert CallShape(use.receiver, use.arguments, use.named_arguments) == expected
