"""The reader of Swift sees what is declared in files and types, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

from bench.outlines.swift import read_swift

_SOURCE = """
// func comment() {}
/* class A { /* struct B {} */ } */
let text = "func \\(make { let inside = "}" }) {", other = 1
public final class Box<T>: Base where T: Equatable {
    class func shared() -> Box { let local = 1; func nested() {}; return self.init() }
    var value: Int { get { 1 } set { } }
    let make = { (x: Int) in let y = x }
    required init?(_ x: T = .init()) { if let z = x { } }
    enum Kind: String { case first = "a", second(Int, Box.Kind)
        case third }
    #if DEBUG
    static func == (a: Box, b: Box) -> Bool { true }
    #endif
}
extension Outer.Inner { typealias Row = Int }
protocol P { associatedtype Element; func run(_ f: () -> Void) }
"""


def test_declarations_of_types_and_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.swift"
    path.write_text(_SOURCE)
    rows = [json.loads(line) for line in read_swift([path]).splitlines()]
    found = [(row["kind"], row["name"], row["line"]) for row in rows]
    assert found == [
        ("field", "text", 4),
        ("type", "Box", 5),
        ("function", "shared", 6),
        ("field", "value", 7),
        ("field", "make", 8),
        ("constructor", "init", 9),
        ("type", "Kind", 10),
        ("enumerator", "first", 10),
        ("enumerator", "second", 10),
        ("enumerator", "third", 11),
        ("function", "==", 13),
        ("type", "Inner", 16),
        ("type", "Row", 16),
        ("type", "P", 17),
        ("type", "Element", 17),
        ("function", "run", 17),
    ]
