"""Links calls over a collection of a library, and over one that the repository declares.

    python -m bench.graph.library_stubs [LANGUAGE …]

The rules of a language know the first one by lists of words; the other one is declared as a stub of
the library would be. To conclude: seconds of processor time, the median of several turns, for one
file of 300 functions; and the calls of the element's methods that either finds.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections import Counter
from typing import Final, NamedTuple

from code_graph import GraphLinker, Languages, SourceTree
from code_graph.model import EdgeType

_FUNCTIONS: Final = 300
_TURNS: Final = 7


class Library(NamedTuple):
    """Sources of one language; NUMBER, LIST, ORDER and LEAST are replaced in each function."""

    ending: str
    element: str
    stub: str
    function: str
    # what stands before and after the functions, with what imports the stub and the library
    head: str = ""
    tail: str = ""
    stub_import: str = ""
    own_import: str = ""
    own: str = "List"


LIBRARIES: Final = {
    "csharp": Library(
        "cs",
        "namespace P { class Item { public bool Go() { return true; }"
        " public Item Next() { return this; } } }",
        "namespace P { delegate B Fn<A, B>(A a); interface Seq<T> { Seq<T> Where(Fn<T, bool> f);"
        " Seq<U> Select<U>(Fn<T, U> f); T First(); } }",
        "void FNUMBER(LIST<Item> l) { l.Where(x => x.Go()).Select(x => x.Next()).First().Go(); }",
        head="IMPORT namespace P { class Use {",
        tail="} }",
        own_import="using System.Collections.Generic;",
    ),
    "java": Library(
        "java",
        "package p; class Item { boolean go() { return true; } Item next() { return this; } }",
        "package p; interface Fn<A, B> { B apply(A a); } interface Opt<T> { T get(); }"
        " interface Seq<T> { Seq<T> filter(Fn<T, Boolean> f); <U> Seq<U> map(Fn<T, U> f);"
        " Opt<T> findFirst(); }",
        "void fNUMBER(LIST<Item> l) {"
        " l.filter(x -> x.go()).map(x -> x.next()).findFirst().get().go(); }",
        head="package p; IMPORT class Use {",
        tail="}",
        own_import="import java.util.stream.Stream;",
        own="Stream",
    ),
    "kotlin": Library(
        "kt",
        "package p\nclass Item { fun go(): Boolean = true\n fun next(): Item = this }",
        "package p\ninterface Seq<T> { fun filter(f: (T) -> Boolean): Seq<T>\n"
        " fun <U> map(f: (T) -> U): Seq<U>\n fun first(): T }",
        "fun fNUMBER(l: LIST<Item>) {"
        " l.filter { x -> x.go() }.map { x -> x.next() }.first().go() }",
        head="package p",
    ),
    "python": Library(
        "py",
        "class Item:\n    def go(self) -> bool: ...",
        "from typing import Generic, Iterator, TypeVar\nT = TypeVar('T')\nclass Seq(Generic[T]):\n"
        "    def __iter__(self) -> Iterator[T]: ...\ndef order(xs: Seq[T]) -> Seq[T]: ...\n"
        "def least(xs: Seq[T]) -> T: ...",
        "def fNUMBER(l: LIST[Item]):\n    for x in ORDER(l):\n        x.go()\n    LEAST(l).go()",
        head="from item import Item\nIMPORT",
        stub_import="from stub import Seq, order, least",
        own="list",
    ),
    "rust": Library(
        "rs",
        "pub struct Item {}\nimpl Item { pub fn go(&self) -> bool { true }"
        " pub fn next(&self) -> Item { Item {} } }",
        "pub struct Seq<T> { t: T }\nimpl<T> Seq<T> { pub fn into_iter(self) -> Seq<T> { self }"
        " pub fn filter<F: Fn(&T) -> bool>(self, f: F) -> Seq<T> { self }"
        " pub fn map<U, F: Fn(T) -> U>(self, f: F) -> Seq<U> { todo!() }"
        " pub fn last(self) -> Option<T> { None } }",
        "pub fn fNUMBER(l: LIST<Item>) {"
        " l.into_iter().filter(|x| x.go()).map(|x| x.next()).last().unwrap().go(); }",
        head="use crate::item::Item;\nIMPORT",
        stub_import="use crate::stub::Seq;",
        own="Vec",
    ),
    "swift": Library(
        "swift",
        "class Item { func go() -> Bool { return true }\n func next() -> Item { return self } }",
        "class Seq<T> { func filter(_ f: (T) -> Bool) -> Seq<T> { return self }\n"
        " func map<U>(_ f: (T) -> U) -> Seq<U> { fatalError() }\n var first: T }",
        "func fNUMBER(l: LIST<Item>) { l.filter { x in x.go() }.map { x in x.next() }.first.go() }",
        own="Array",
    ),
    "typescript": Library(
        "ts",
        "export class Item { go(): boolean { return true } next(): Item { return this } }",
        "export interface Seq<T> { filter(f: (v: T) => boolean): Seq<T>;"
        " map<U>(f: (v: T) => U): Seq<U>; find(f: (v: T) => boolean): T; }",
        "export function fNUMBER(l: LIST<Item>) {"
        " l.filter(x => x.go()).map(x => x.next()).find(y => y.go()).go(); }",
        head="import { Item } from './item';\nIMPORT",
        stub_import="import { Seq } from './stub';",
        own="Array",
    ),
}


def sources(library: Library, *, declared: bool) -> dict[str, str]:
    """A tree whose functions use the collection that the repository declares, or the library's."""
    names = {"LIST": "Seq", "ORDER": "order", "LEAST": "least"}
    if not declared:
        names = {"LIST": library.own, "ORDER": "sorted", "LEAST": "max"}
    function = library.function
    for mark, name in names.items():
        function = function.replace(mark, name)
    functions = [function.replace("NUMBER", str(number)) for number in range(_FUNCTIONS)]
    imported = library.stub_import if declared else library.own_import
    use = "\n".join([library.head.replace("IMPORT", imported), *functions, library.tail])
    texts = {"use": use, "item": library.element, "stub": library.stub}
    files = {f"src/{name}.{library.ending}": f"{text}\n" for name, text in texts.items()}
    if library.ending == "rs":
        files |= {
            "Cargo.toml": '[package]\nname = "p"\n',
            "src/lib.rs": "mod item; mod stub; mod use;\n",
        }
    return files


def measured(library: Library) -> list[tuple[float, dict[str, int]]]:
    """Seconds and calls found, of the library's collection and of the declared one."""
    trees = [SourceTree(sources(library, declared=way), Languages()) for way in (False, True)]
    for tree in trees:
        for path in tree.paths():
            tree.code(path)
    use, item = (f"src/{name}.{library.ending}" for name in ("use", "item"))
    seconds: list[list[float]] = [[], []]
    for turn in range(_TURNS * len(trees)):
        at = turn % len(trees)
        gc.collect()
        begin = time.process_time()
        GraphLinker(trees[at]).link(use)
        seconds[at].append(time.process_time() - begin)
    found = []
    for tree, times in zip(trees, seconds, strict=True):
        linker = GraphLinker(tree)
        names = {row.id: row.qualified_name for row in linker.link(item).symbols}
        edges = [edge for edge in linker.link(use).edges if edge.type == EdgeType.CALLS]
        calls = Counter(names[edge.target] for edge in edges if edge.target in names)
        found.append((statistics.median(times), dict(sorted(calls.items()))))
    return found


def main() -> None:
    """Print a row for each language."""
    for language in sys.argv[1:] or sorted(LIBRARIES):
        (rules, by_rules), (stub, by_stub) = measured(LIBRARIES[language])
        ratio = stub / rules
        print(
            f"{language}: {rules:.3f} s {by_rules}, declared {stub:.3f} s ({ratio:.2f}) {by_stub}"
        )


if __name__ == "__main__":
    main()
