"""Classes without a name are called by their base and a number in what is around them."""

from __future__ import annotations

import pytest

from code_graph import SourceTree
from code_graph.model import EdgeType
from tests.code_graph.sources import edges, link

KOTLIN = """\
package p
interface Reader { fun read(): Int }
open class Base(x: Int) { open fun go() { } }
class Main {
  val field = object : Base(1), Reader {
    override fun read(): Int { return other() }
    fun other(): Int { return 2 }
    override fun go() { super.go() }
  }
  fun make(): Reader {
    return object : Reader {
      override fun read(): Int { return helper() }
    }
  }
  fun helper(): Int { return 1 }
  fun plain() {
    val own = object {
      fun run() { helper() }
    }
    own.run()
  }
}
"""
PHP = """\
<?php
namespace p;
interface Reader { function read(); }
class Base { function go() { } }
class Main {
  function make() {
    return new class(1) extends Base implements Reader {
      function read() { return $this->other(); }
      function other() { }
      function go() { parent::go(); }
    };
  }
  function plain() {
    $own = new class { function run() { } };
    $own->run();
  }
}
"""
EXPECTED = {
    "Main.kt": {
        "p.Main.field calls p.Base",
        "p.Main.field.Base$1 implements p.Reader",
        "p.Main.field.Base$1 inherits p.Base",
        "p.Main.field.Base$1.go calls p.Base.go",
        "p.Main.field.Base$1.go overrides p.Base.go",
        "p.Main.field.Base$1.read calls p.Main.field.Base$1.other",
        "p.Main.field.Base$1.read overrides p.Reader.read",
        "p.Main.make.Reader$1 implements p.Reader",
        "p.Main.make.Reader$1.read calls p.Main.helper",
        "p.Main.make.Reader$1.read overrides p.Reader.read",
        "p.Main.plain calls p.Main.plain.object$1.run",
        "p.Main.plain.object$1.run calls p.Main.helper",
    },
    "main.php": {
        "p::Main::make calls p::Base",
        "p::Main::make::Base$1 implements p::Reader",
        "p::Main::make::Base$1 inherits p::Base",
        "p::Main::make::Base$1::go calls p::Base::go",
        "p::Main::make::Base$1::go overrides p::Base::go",
        "p::Main::make::Base$1::read calls p::Main::make::Base$1::other",
        "p::Main::make::Base$1::read overrides p::Reader::read",
        "p::Main::plain calls p::Main::plain::class$1::run",
    },
}
TYPES = (EdgeType.CALLS, EdgeType.INHERITS, EdgeType.IMPLEMENTS, EdgeType.OVERRIDES)


@pytest.mark.parametrize(("path", "source"), [("Main.kt", KOTLIN), ("main.php", PHP)])
def test_a_class_without_a_name_has_bases_and_members(path: str, source: str) -> None:
    found = edges(link(SourceTree({path: source})), *TYPES)
    assert {item.rpartition(" ")[0] for item in found} == EXPECTED[path]
