"""A graph that follows edits equals a graph that was linked at once, byte for byte."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from code_graph.model import LinkedFile
from code_graph.query.names import find_targets
from code_graph.query.snapshot import GraphSnapshot
from code_graph.store.schema import EDGES, GraphProgress
from code_graph.tree import Linker, LinkFocus, Tree
from index_format import MemoryStore, check
from index_format.codec.attachments import Attachments
from tests.code_graph.graph_index import GraphIndex
from tests.code_graph.small_linker import SmallLinker
from tests.code_graph.text_index import TextIndex

pytestmark = pytest.mark.differential

MODULES = [f"m{number}" for number in range(8)]
NAMES = ["alpha", "beta", "fetch", "gamma", "Delta"]


def source(chance: random.Random) -> str:
    """A module with imports, re-exports, functions, classes and uses."""
    lines = []
    for _ in range(chance.randrange(3)):
        module, name = chance.choice([*MODULES, "outside"]), chance.choice(NAMES)
        lines.append(chance.choice([f"from {module} import {name}", f"import {module}"]))
    for _ in range(chance.randrange(4)):
        name, used = chance.choice(NAMES), chance.choice(NAMES)
        body = chance.choice([f"{used}()", f"{chance.choice(MODULES)}.{used}()", f"x.{used}()"])
        shapes = [
            [f"def {name}():", f"    return {body}"],
            [f"class {name}({used}):", "    def run(self):", f"        {body}"],
        ]
        lines += chance.choice(shapes)
    return "\n".join(lines) + "\n"


def edit(text: TextIndex, chance: random.Random) -> None:
    """Change, add or remove one to three files."""
    changed: dict[str, str | None] = {}
    for module in chance.sample(MODULES, chance.randint(1, 3)):
        changed[f"{module}.py"] = None if chance.random() < 0.2 else source(chance)
    text.change(changed)


def fresh(text: TextIndex) -> dict[str, bytes]:
    graph = GraphIndex()
    graph.refresh(text.snapshot())
    return graph.segments()


@pytest.mark.parametrize("seed", range(12))
def test_edits_end_in_the_bytes_of_a_fresh_graph(seed: int) -> None:
    chance = random.Random(seed)
    text = TextIndex({f"{module}.py": source(chance) for module in MODULES[:5]})
    graph = GraphIndex()
    graph.refresh(text.snapshot())
    for step in range(30):
        edit(text, chance)
        assert graph.refresh(text.snapshot()).complete
        if not step % 5:
            assert graph.segments() == fresh(text)
    assert graph.segments() == fresh(text)
    assert list(check(graph.store)) == []


@pytest.mark.parametrize("keeps_tree", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_runs_that_end_early_lose_nothing(seed: int, *, keeps_tree: bool) -> None:
    chance = random.Random(seed)
    text = TextIndex({f"{module}.py": source(chance) for module in MODULES})
    graph = GraphIndex()
    graph.keeps_tree = keeps_tree
    for _ in range(25):
        graph.refresh(text.snapshot(), part=1, most=chance.randrange(4))
        if chance.random() < 0.7:
            edit(text, chance)
    assert graph.refresh(text.snapshot(), part=2).complete
    assert graph.segments() == fresh(text)
    assert GraphProgress.of(graph.snapshot()).complete


def test_parts_in_any_order_end_in_the_same_bytes() -> None:
    chance = random.Random(1)
    text = TextIndex({f"{module}.py": source(chance) for module in MODULES})

    def shuffle(parts: list[Sequence[str]]) -> None:
        chance.shuffle(parts)

    graph = GraphIndex()
    graph.refresh(text.snapshot(), part=1, arrange=shuffle)
    assert graph.segments() == fresh(text)


CHAIN = {
    "m0.py": "def alpha(): pass\n",
    "m1.py": "from m0 import alpha\n",
    "m2.py": "from m1 import alpha\n",
    "m3.py": "from m2 import alpha\nalpha()\n",
    "m4.py": "def beta(): beta()\n",
}


def test_only_files_that_asked_for_a_changed_answer_are_linked_again() -> None:
    text = TextIndex(CHAIN)
    graph = GraphIndex()
    graph.refresh(text.snapshot())
    assert sorted(graph.linked) == sorted(CHAIN)
    # the answer is the same
    graph.refresh(text.change({"m0.py": "\n\ndef alpha(): return 1\n"}))
    assert graph.linked == ["m0.py"]
    # it changes, and all that lead to it
    graph.refresh(text.change({"m0.py": "def gamma(): pass\n"}))
    assert graph.linked == ["m0.py", "m1.py", "m2.py", "m3.py"]
    graph.refresh(text.change({"m0.py": None}))
    assert sorted(graph.linked) == ["m1.py", "m2.py", "m3.py"]


def test_a_name_that_was_missing_is_found_when_it_appears() -> None:
    text = TextIndex({"m0.py": "from m1 import alpha\nalpha()\n"})
    graph = GraphIndex()
    graph.refresh(text.snapshot())
    graph.refresh(text.change({"m1.py": "def alpha(): pass\n"}))
    assert graph.linked == ["m1.py", "m0.py"]
    assert graph.segments() == fresh(text)


@pytest.mark.parametrize("keeps_tree", [True, False])
@pytest.mark.parametrize("text_of_m1", [None, "def beta(): pass\n"])
def test_a_file_that_changes_before_it_is_linked_is_followed(
    text_of_m1: str | None, *, keeps_tree: bool
) -> None:
    files = {"m0.py": "from m1 import alpha\nalpha()\n", "m1.py": "def alpha(): pass\n"}
    text = TextIndex(files)
    graph = GraphIndex()
    graph.keeps_tree = keeps_tree
    graph.refresh(text.snapshot(), part=1, most=1)
    assert graph.linked == ["m0.py"]
    assert graph.refresh(text.change({"m1.py": text_of_m1})).complete
    assert graph.segments() == fresh(text)


@pytest.mark.parametrize("text_of_m1", [None, "def beta(): pass\n"])
def test_a_dependent_that_changes_before_it_is_linked_again_is_followed(
    text_of_m1: str | None,
) -> None:
    text = TextIndex(CHAIN)
    graph = GraphIndex()
    graph.refresh(text.snapshot())
    # m0 is linked, and the others that lead to it not any more
    graph.refresh(text.change({"m0.py": "def gamma(): pass\n"}), part=1, most=1)
    assert graph.linked == ["m0.py"]
    assert not GraphProgress.of(graph.snapshot()).complete
    assert graph.refresh(text.change({"m1.py": text_of_m1})).complete
    assert graph.segments() == fresh(text)


def test_what_changes_nothing_publishes_nothing() -> None:
    text = TextIndex(CHAIN)
    graph = GraphIndex()
    graph.refresh(text.snapshot())
    before = graph.generation()
    assert graph.refresh(text.snapshot()) == (0, 0, True)
    assert graph.generation() == before


def test_another_signature_links_every_file_again() -> None:
    text = TextIndex(CHAIN)
    graph = GraphIndex()
    graph.refresh(text.snapshot())
    graph.signature = "newer"
    graph.refresh(text.snapshot(), part=1, most=2)
    assert graph.snapshot().file_count == 2
    assert not GraphProgress.of(graph.snapshot()).complete
    assert graph.refresh(text.snapshot()).complete
    assert graph.linked == sorted(CHAIN)[2:]
    assert graph.segments() == fresh(text)


def test_a_first_build_goes_on_without_linking_anything_twice() -> None:
    text = TextIndex(CHAIN)
    graph = GraphIndex()
    graph.refresh(text.snapshot(), part=1, most=3)
    assert graph.snapshot().file_count == 3
    text.change({"readme.txt": "no code\n"})
    assert graph.refresh(text.snapshot()).complete
    assert graph.linked == sorted(CHAIN)[3:]


def test_a_first_build_goes_on_after_an_edit() -> None:
    text = TextIndex({f"f{number}.py": "def alpha(): pass\n" for number in range(9)})
    graph = GraphIndex()
    graph.refresh(text.snapshot(), part=1, most=5)
    edited = text.change({"f1.py": "def beta(): pass\n", "f8.py": "def beta(): pass\n"})
    assert graph.refresh(edited).complete
    assert graph.linked == ["f1.py", "f8.py", "f5.py", "f6.py", "f7.py"]
    assert graph.segments() == fresh(text)


class _Interrupted(SmallLinker):
    def link(self, path: str, focus: LinkFocus | None = None) -> LinkedFile:
        if path == sorted(CHAIN)[1]:
            raise KeyboardInterrupt
        return super().link(path, focus)


def test_a_first_build_that_is_interrupted_keeps_what_is_linked() -> None:
    """The parts are more often finished than published."""

    def interrupted(tree: Tree) -> Linker:
        return _Interrupted(tree)

    text = TextIndex(CHAIN)
    graph = GraphIndex(interrupted)
    with pytest.raises(KeyboardInterrupt):
        graph.refresh(text.snapshot(), part=1)
    assert graph.snapshot().file_count == 1


class _Brittle(SmallLinker):
    def link(self, path: str, focus: LinkFocus | None = None) -> LinkedFile:
        if path == "m1.py":
            raise ZeroDivisionError
        return super().link(path, focus)


def test_a_linker_that_fails_costs_the_edges_of_one_file() -> None:
    def brittle(tree: Tree) -> Linker:
        return _Brittle(tree)

    text = TextIndex(CHAIN)
    graph = GraphIndex(brittle)
    assert graph.refresh(text.snapshot()).complete
    assert sorted(graph.snapshot().paths()) == sorted(CHAIN)
    graph.refresh(text.snapshot())
    assert graph.linked == []


def test_a_file_that_is_to_be_linked_again_has_no_symbols_to_hand_out() -> None:
    text = TextIndex({
        "a.py": "from b import beta\n\ndef alpha():\n    beta()\n",
        "b.py": "def beta(): pass\n",
        "c.py": "from b import beta\n\ndef gamma():\n    beta()\n",
    })  # fmt: skip
    graph = GraphIndex()
    graph.refresh(text.snapshot())
    graph.refresh(text.change({"b.py": "def more(): pass\n"}), most=1)
    found = GraphSnapshot(graph.snapshot())
    assert not found.progress.complete
    for path in ("a.py", "b.py", "c.py"):
        targets = find_targets(found, path, 1).targets
        assert {bool(target.name) for target in targets} <= {True}
        assert bool(targets) == bool(found.outline(path))
    assert [] in [found.outline(path) for path in ("a.py", "c.py")]


class _Hungry(SmallLinker):
    """Needs more memory for each file, and for one more than there is."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._left = 2

    def link(self, path: str, focus: LinkFocus | None = None) -> LinkedFile:
        if path == "m1.py" or not self._left:
            raise MemoryError
        self._left -= 1
        return super().link(path, focus)

    def forget(self) -> None:
        self._left = 2


def test_memory_that_files_before_have_taken_costs_no_edges() -> None:
    def hungry(tree: Tree) -> Linker:
        return _Hungry(tree)

    text = TextIndex(CHAIN)
    graph, usual = GraphIndex(hungry), GraphIndex()
    assert graph.refresh(text.snapshot()).complete
    usual.refresh(text.snapshot())
    for path in CHAIN:
        same = graph.snapshot().attachment(path, EDGES) == usual.snapshot().attachment(path, EDGES)
        assert same == (path != "m1.py")


class _Narrow(SmallLinker):
    def link(self, path: str, focus: LinkFocus | None = None) -> LinkedFile:
        return LinkedFile(path, b"", "", "") if path == "m1.py" else super().link(path, focus)


def test_a_file_that_the_linker_knows_nothing_of_is_stored() -> None:
    def narrow(tree: Tree) -> Linker:
        return _Narrow(tree)

    text = TextIndex(CHAIN)
    graph = GraphIndex(narrow)
    assert graph.refresh(text.snapshot()).complete
    assert graph.refresh(text.snapshot()) == (0, 0, True)
    assert sorted(graph.snapshot().paths()) == sorted(CHAIN)


def test_a_store_of_its_own_holds_the_graph() -> None:
    graph = GraphIndex()
    assert isinstance(graph.store, MemoryStore)
    assert graph.refresh(TextIndex({"a.txt": "x\n"}).snapshot()).complete
    assert graph.snapshot().file_count == 0


def test_a_refresh_reads_nothing_of_files_that_no_change_reaches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = TextIndex({f"f{number}.py": "def alpha(): pass\n" for number in range(60)})
    graph = GraphIndex()
    graph.refresh(text.snapshot())
    read: list[int] = []
    get = Attachments.get

    def counting(self: Attachments, file: int, kind: str) -> bytes:
        read.append(file)
        return get(self, file, kind)

    monkeypatch.setattr(Attachments, "get", counting)
    graph.refresh(text.change({"f7.py": "def beta(): pass\n"}))
    assert graph.linked == ["f7.py"]
    # its facts, to be linked and to be stored, its code, and its old and new exports
    assert len(read) == 5
