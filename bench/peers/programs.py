"""Programs that are started for each question: their lines of output are what they found."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from bench.peers.process import Ask, Tree
from bench.peers.table import PEERS, Kind, Peer, Place, filled


def engine(name: str, tree: Tree, folder: Path) -> Mapping[Kind, Ask]:
    """One function for each kind of question that the program knows."""
    (peer,) = (item for item in PEERS if item.name == name)
    place = Place(tree.root, tree.listed, folder)
    return {kind: partial(_lines, peer, place, kind) for kind in peer.ask}


def _lines(peer: Peer, place: Place, kind: Kind, query: str) -> list[str]:
    command = filled(peer.ask[kind], place, query)
    done = subprocess.run(command, capture_output=True, check=False)
    # 1 says that nothing was found
    if done.returncode not in {0, 1}:
        raise RuntimeError(os.fsdecode(done.stderr)[:300])
    return os.fsdecode(done.stdout).splitlines()
