"""Targets of C++ names over files, and the files that are searched for them."""

from __future__ import annotations

from code_graph import SourceTree
from code_graph.evaluate.source_file import SourceFile
from code_graph.expressions import Op
from code_graph.facts import Facts
from code_graph.link.linker import GraphLinker
from code_graph.link.shared_names import names_of
from code_graph.model import EdgeType
from tests.code_graph.sources import link


def references(sources: dict[str, str], path: str) -> list[str]:
    """The references of a file, by line and name."""
    linked = link(SourceTree(sources))
    names = {item.id: item.qualified_name for file in linked.values() for item in file.symbols}
    return sorted(
        f"{edge.line} {names[edge.target]}"
        for edge in linked[path].edges
        if edge.type == EdgeType.REFERENCES
    )


CONSTANTS = """\
namespace lib {
enum Kind { kOne, kTwo };
enum class Mode { kFast };
class Part {
public:
    enum Code { kOk = 0 };
};
class Whole : public Part {};
}
"""


def test_constants_of_plain_enums_are_found_around_them() -> None:
    text = (
        '#include "a.h"\nnamespace lib {\nint a() { return kOne; }\nint b() { return Part::kOk; }\n'
        "int c() { return Whole::kOk; }\nint d() { return Kind::kTwo; }\n}\n"
    )
    assert references({"a.h": CONSTANTS, "b.cpp": text}, "b.cpp") == [
        "3 lib::Kind::kOne",
        "4 lib::Part",
        "4 lib::Part::Code::kOk",
        "5 lib::Part::Code::kOk",
        "5 lib::Whole",
        "6 lib::Kind",
        "6 lib::Kind::kTwo",
    ]


def test_constants_of_enum_classes_are_found_in_them_alone() -> None:
    text = "namespace lib {\nMode a() { return Mode::kFast; }\nMode b() { return kFast; }\n}\n"
    assert references({"a.h": CONSTANTS, "b.cpp": text}, "b.cpp") == [
        "2 lib::Mode",
        "2 lib::Mode",
        "2 lib::Mode::kFast",
        "3 lib::Mode",
    ]


def test_a_name_of_an_alias_refers_to_it_and_not_to_its_type() -> None:
    header = (
        "namespace lib {\ntypedef unsigned long Number;\nstruct A {};\nusing B = A;\n"
        "struct Owner { using In = A; };\n}\n"
    )
    text = (
        "namespace lib {\nNumber a();\nB b();\nOwner::In c();\n"
        "struct Other : Owner { In d(); };\nA e();\n}\n"
    )
    assert references({"a.h": header, "b.cpp": text}, "b.cpp") == [
        "2 lib::Number",
        "3 lib::B",
        "4 lib::Owner",
        "4 lib::Owner::In",
        "5 lib::Owner",
        "5 lib::Owner::In",
        "6 lib::A",
    ]


def test_an_initialiser_refers_to_its_field() -> None:
    header = "class A {\npublic:\n    A(int n);\n    int number_;\n};\n"
    text = "A::A(int n)\n    : number_(n) {}\n"
    assert references({"a.h": header, "a.cpp": text}, "a.cpp") == ["2 A::number_"]


class CountingTree(SourceTree):
    """Sources, and which of them were asked for."""

    def __init__(self, sources: dict[str, str]) -> None:
        super().__init__(sources)
        self.read: set[str] = set()

    def facts(self, path: str) -> Facts | None:
        self.read.add(path)
        return super().facts(path)


def test_only_the_file_that_is_meant_is_looked_into() -> None:
    others = {
        f"n{number}/run.h": f"namespace n{number} {{ void run(); struct Box {{ void f(); }}; }}\n"
        for number in range(400)
    }
    text = '#include "n7/run.h"\nvoid n7::all(Box& box) { run(); box.f(); n7::run(); }\n'
    tree = CountingTree({**others, "main.cpp": text})
    link(tree)
    tree.read.clear()
    linked = GraphLinker(tree).link("main.cpp")
    asked = tree.read - {path for path in others if path != "n7/run.h"}
    calls = [edge for edge in linked.edges if edge.type == EdgeType.CALLS]
    assert len(calls) == 3
    assert asked == {"main.cpp", "n7/run.h"}


def test_names_are_shared_whole_as_types_or_values() -> None:
    tree = SourceTree(
        {
            "a.h": "namespace a::b {\nclass Box { void f(); };\nvoid run();\n#define MAX 1\n}\n",
            "a.cpp": "namespace a { static void own() {}\nclass Own {};\nvoid seen() {} }\n",
        }
    )
    shared = {}
    for path in tree.paths():
        facts = tree.facts(path)
        assert facts is not None
        names = names_of(SourceFile(path, facts, tree.code(path), b""))
        shared[path] = sorted(name for name in names if name.endswith(("type", "value", "named")))
    assert shared == {
        "a.cpp": ["Own named", "a named", "a.seen value", "own named", "seen named"],
        "a.h": [
            "Box named",
            "MAX named",
            "MAX value",
            "a.b value",
            "a.b.Box type",
            "a.b.run value",
            "b named",
            "run named",
        ],
    }


def test_an_operator_behind_a_comment_is_the_operator() -> None:
    text = "auto made() { auto c = one(1) // the first\n | two(2); return c; }\n"
    code = SourceTree({"a.cpp": text}).code("a.cpp")
    assert code is not None
    assert [one.name for one in code.expressions if one.op == Op.OPERATOR] == ["|"]
