"""One tree, the peers that can be had here, and a folder for the index of each."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.peers import OURS, PEERS, Kind, MissingError, Peer, Place, prepare
from bench.peers.process import Tree
from repo_mcp.budget import Budget
from repo_mcp.services import services
from repo_mcp.settings import Options
from repo_mcp.text.files import decode


class Bench:
    """The programs compared on a tree; those that can't run are reported with the reason."""

    def __init__(self, root: Path, keep: Path, only: frozenset[str] = frozenset()) -> None:
        """List the files, and install who is missing."""
        self.root, self.keep = root, keep
        self._folder = keep / "indexes" / root.name
        self._folder.mkdir(parents=True, exist_ok=True)
        self.listed = self._folder / "files"
        self.files, self.text_mib = _listed(root, self.listed)
        self.skipped: dict[str, str] = {}
        self._around: dict[str, Mapping[str, str]] = {}
        for peer in (OURS, *PEERS):
            reason = self._reason(peer, only)
            if reason:
                self.skipped[peer.name] = reason

    @property
    def tree(self) -> Tree:
        """The tree as peers read it."""
        return Tree(self.root, self.listed)

    @property
    def peers(self) -> list[Peer]:
        """All that run, ours first."""
        return [peer for peer in (OURS, *PEERS) if peer.name in self._around]

    def answering(self, kind: Kind) -> Iterator[Peer]:
        """The programs that answer a kind of query."""
        return (peer for peer in self.peers if kind in peer.kinds)

    def place(self, peer: Peer, *, variant: str = "") -> Place:
        """Where a peer's index lies."""
        return Place(self.root, self.listed, self._folder / f"{peer.name}{variant}")

    def around(self, peer: Peer) -> Mapping[str, str]:
        """The environment it runs in."""
        return self._around[peer.name]

    def emptied(self, place: Place) -> Place:
        """The same place without an index."""
        shutil.rmtree(place.folder, ignore_errors=True)
        place.folder.mkdir(parents=True)
        return place

    def _reason(self, peer: Peer, only: frozenset[str]) -> str:
        """Why a peer does not run; nothing if it does."""
        if only and peer.name not in only and peer is not OURS:
            return "not asked for"
        if peer.most_mib is not None and self.text_mib > peer.most_mib:
            return f"for up to {peer.most_mib} MiB of text only: it takes too long"
        try:
            self._around[peer.name] = prepare(peer, self.keep, self.place(peer))
        except MissingError as error:
            return str(error)
        return ""


def _listed(root: Path, listed: Path) -> tuple[int, float]:
    """Write the list of the text files that we index; their number, and MiB of text."""
    found = services(Options(str(root), str(root / ".nowhere"), watch=False))
    count = size = 0
    with listed.open("w", encoding="utf-8", errors="surrogateescape") as lines:
        for file in found.manager.discovery().files(Budget()):
            data = found.sandbox.read(file.path, follow=False).data
            if decode(data) is None or "\n" in file.path:
                continue
            lines.write(f"{root}/{file.path}\n")
            count += 1
            size += len(data)
    return count, round(size / 2**20, 1)
