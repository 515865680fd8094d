"""Each compared program finds on a small tree what is there to be found."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from bench.peers import KINDS, OURS, PEERS, Kind, Peer, Place
from bench.peers.process import Tree
from bench.suite.builds import WITH_DECLARATIONS
from bench.suite.processes import PeerProcess, run
from bench.suite.questions import drawn

FILES = {
    "a.c": "int frobnicate(int count) {\n    return count + 1;\n}\n",
    "b/c.py": "def narrow(wide):\n    return frobnicate(wide)\n",
    "readme.md": "# words\n\nplain words of prose\n",
}
EXPECTED: dict[Kind, tuple[str, str]] = {
    "ranked": ("plain prose", "readme.md"),
    "passages": ("plain prose", "readme.md"),
    "phrase": ("words of prose", "readme.md"),
    "literal": ("frobnicate(wide)", "b/c.py"),
    "regex": (r"frob\w+\(w", "b/c.py"),
    "symbol": ("frobnicate", "a.c"),
}


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    root = tmp_path / "root"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    listed = tmp_path / "listed"
    listed.write_text("".join(f"{root}/{name}\n" for name in FILES))
    return Tree(root, listed)


def is_here(peer: Peer) -> bool:
    if peer.module:
        return peer.name not in {"Xapian", "bm25s"}
    return all(shutil.which(command[0]) for command in (*peer.build, *peer.ask.values()))


@pytest.mark.servers
@pytest.mark.parametrize("peer", [WITH_DECLARATIONS, *PEERS], ids=lambda peer: peer.name)
def test_a_program_answers_what_it_claims_to(peer: Peer, tree: Tree, tmp_path: Path) -> None:
    if not is_here(peer):
        pytest.skip(f"{peer.name} is not installed")
    place = Place(tree.root, tree.listed, tmp_path / "index")
    place.folder.mkdir()
    around = {
        **os.environ,
        **{k: v.replace("{folder}", str(place.folder)) for k, v in peer.around.items()},
    }
    for command in (*peer.builds(place), *peer.updates(place)):
        assert run(command, around, place.folder).wall > 0
    with PeerProcess(peer.serves(place), around) as asked:
        for kind in KINDS:
            if kind in peer.kinds:
                query, path = EXPECTED[kind]
                reply = asked.ask(kind, query)
                assert reply.hits
                assert path in reply.first[0]
                assert run(peer.answers_once(place, kind, query), around).cpu > 0
                assert not asked.ask(kind, "nowheretobefound").hits


@pytest.mark.parametrize("kind", KINDS)
def test_questions_are_of_the_tree_and_always_the_same(kind: Kind, tree: Tree) -> None:
    found = drawn(kind, 2, tree)
    assert found == drawn(kind, 2, tree)
    assert len(set(found)) == len(found) > 0
    texts = [text for _, text in tree.texts()]
    for question in found:
        if kind != "regex":
            assert any(question.split()[0] in text for text in texts)


def test_ours_is_a_peer_that_knows_all_kinds() -> None:
    assert OURS.kinds == set(KINDS)
