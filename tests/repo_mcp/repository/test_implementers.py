"""An answer about an interface says which members are to be supplied, and where one is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repo_mcp.toolsets.interrogator.test_symbol import Linked
from tests.repo_mcp.trees import write

FILES: dict[str, str | bytes] = {
    "g/a.go": (
        "package g\n\ntype Face interface{ Run() }\n\ntype Server struct{ n int }\n\n"
        "func (s *Server) Run() {}\n\nfunc NewServer() Face { return &Server{n: 1} }\n\n"
        "func start() {\n\tregister(Server{})\n}\n\nfunc register(f Face) {}\n\n"
        "var _ Face = (*Server)(nil)\n"
    ),
    "r/Cargo.toml": '[package]\nname = "z"\nversion = "0.1.0"\n',
    "r/src/lib.rs": (
        "pub trait Greet {\n    fn hi(&self) -> u8 { 1 }\n    fn must(&self) -> Vec<u8>;\n"
        "    type T;\n    const N: u8 = 3;\n}\npub struct Thing { a: u8 }\n"
        "impl Greet for Thing {\n    fn must(&self) -> Vec<u8> { vec![] }\n    type T = u8;\n}\n"
        "fn make() -> u8 {\n    let it = Thing {\n        a: 1,\n    };\n    it.a\n}\n"
    ),
    "p.py": (
        "from abc import ABC, abstractmethod\nfrom typing import Protocol\n\n\n"
        "class Shape(ABC):\n    @abstractmethod\n    def area(self): ...\n\n"
        "    def name(self):\n        return 1\n\n"
        "    def later(self):\n        raise NotImplementedError\n\n\n"
        "class Square(Shape):\n    def area(self):\n        return 1\n\n\n"
        'SHAPES = {"square": Square}\n\n\ndef build(kind):\n    return SHAPES[kind]()\n\n\n'
        "class Reads(Protocol):\n    def read(self, size: int) -> bytes: ...\n"
    ),
    "t.ts": (
        "export interface Plug {\n  run(): { a: number };\n  opt?: number;\n}\n"
        "export abstract class Base implements Plug {\n  run() { return { a: 1 } }\n"
        "  abstract go(): void;\n}\n"
        "export class Whole extends Base {\n  go() {}\n}\n"
        "export const plugs: Plug[] = [new Whole()];\n"
    ),
    "j/Task.java": (
        "package j;\n\ninterface Closing {\n    void close() throws Exception;\n}\n\n"
        "public interface Task extends Closing {\n    int LIMIT = 3;\n\n    int run(int size);\n\n"
        "    default int run() {\n        return run(LIMIT);\n    }\n\n"
        "    static Task of(String name) {\n        return Tasks.find(name);\n    }\n}\n"
    ),
    "j/Tasks.java": (
        "package j;\n\nclass Tasks {\n    private Task first;\n\n"
        "    static Task find(String name) {\n        return load(name);\n    }\n\n"
        "    Task first() {\n        return first;\n    }\n}\n"
    ),
    "k/Codec.java": (
        "package k;\n\npublic interface Codec {\n    void put(int value);\n\n"
        "    default void put(String value) {\n        put(value.length());\n    }\n\n"
        "    default int size() {\n        throw new UnsupportedOperationException();\n    }\n}\n\n"
        "abstract class Half implements Codec {\n    Half() {\n    }\n\n"
        "    int size(int of) {\n        throw new UnsupportedOperationException();\n    }\n}\n\n"
        "class Dense extends Half {\n    Dense() {\n    }\n\n"
        "    public void put(int value) {\n    }\n}\n\n"
        "class Wide extends Dense {\n    Wide() {\n        super();\n    }\n}\n"
    ),
    "k/Codecs.java": (
        "package k;\n\nclass Codecs {\n    private Codec last;\n\n"
        "    void keep(Codec codec) {\n        last = codec;\n    }\n\n"
        "    int kind(Codec codec) {\n        if (codec instanceof Dense) {\n"
        "            return 1;\n        }\n        return codec instanceof Wide ? 2 : 3;\n    }\n\n"
        "    void load(String name) throws Exception {\n"
        "        keep((Codec) Class.forName(name).getDeclaredConstructor().newInstance());\n"
        "    }\n\n"
        '    void start() throws Exception {\n        load("k.Dense");\n    }\n}\n'
    ),
    "s/B.scala": (
        "package s\n\nabstract class Store {\n  def read(at: Int): String\n"
        "  def first: String = read(0)\n}\n"
    ),
    "cs/A.cs": (
        "namespace N {\n    interface IBox {\n        int Size { get; set; }\n"
        "        int Twice() => 2;\n        void Open();\n    }\n}\n"
    ),
    "c/a.hpp": (
        "struct Animal {\n  virtual void speak() const = 0;\n  virtual int legs() { return 4; }\n"
        "  int age = 0;\n};\n"
    ),
    "sw/A.swift": (
        "protocol Known {\n    var size: Int { get }\n    func need(of: [Int]) -> Int\n"
        "    func have() -> Int\n}\nextension Known {\n    func have() -> Int { return 1 }\n}\n"
    ),
    "plain.py": "class Plain:\n    def run(self):\n        return 1\n",
}


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Linked:
    folder = tmp_path_factory.mktemp("implementers")
    return Linked(write(folder / "root", FILES), folder / "data").linked()


@pytest.mark.parametrize(
    ("name", "demanded"),
    [
        ("Face", ["Run 3"]),
        ("Greet", ["must 3, T 4"]),
        ("Shape", ["area 7, later 12"]),
        ("Reads", ["read 29"]),
        ("Plug", ["run 2"]),
        ("Base", ["go 7"]),
        ("Task", ["run 10, close 4"]),
        ("Codec", ["put 4"]),
        ("Half", ["size 19, put 4"]),
        ("Store", ["read 4"]),
        ("IBox", ["Size 3, Open 5"]),
        ("Animal", ["speak 2"]),
        ("Known", ["size 2, need 3"]),
        ("Plain", []),
        ("Square", []),
        ("Whole", []),
        ("plain.Plain.run", []),
    ],
)
def test_members_without_code_are_to_be_supplied(
    call: Linked, name: str, demanded: list[str]
) -> None:
    assert call.symbol(name)["demanded"] == demanded


@pytest.mark.parametrize(
    ("name", "makers"),
    [
        ("Face", ["g/a.go: NewServer 9, start 12"]),
        ("Greet", ["r/src/lib.rs: make 13"]),
        ("Shape", ["p.py: SHAPES 21, build 25"]),
        ("Plug", ["t.ts: plugs 12"]),
        ("Task", ["j/Task.java: Task.of 16", "j/Tasks.java: Tasks.find 6"]),
        ("Codec", ["k/Codecs.java: Codecs.load 18, Codecs.start 22"]),
        ("Square", []),
    ],
)
def test_code_that_makes_implementers_is_named(call: Linked, name: str, makers: list[str]) -> None:
    assert call.symbol(name)["makers"] == makers


def test_both_stand_before_uses(call: Linked) -> None:
    rows = call.text("Face").splitlines()
    demanded = rows.index("an implementer has to supply: Run 3")
    assert rows[demanded + 1].startswith("implementers are made, registered or returned in: g/a.go")
    assert rows[demanded + 2].startswith("used in code, ")
    assert "supply" not in call.text("Face", callers_only=True)


def test_members_that_types_outside_demand_are_told_but_those_with_code(tmp_path: Path) -> None:
    inherited = "io.Kept, java.io.Serializable, java.io.Closeable, java.util.concurrent.Callable<A>"
    code = (
        "package a;\ninterface Base extends java.io.Flushable {\n  void own();\n}\n"
        f"interface Store extends Base, {inherited} {{\n"
        "  void put();\n  default A call() { return null; }\n}\n"
    )
    root = write(tmp_path / "root", {"a/Store.java": code})
    found = Linked(root, tmp_path / "data").linked().symbol("Store")
    assert found["demanded"] == [
        "put 6, own 3",
        "external: members of Kept, close of Closeable, flush of Flushable",
    ]
