"""The programs that a user could pick instead: how each is installed, built and asked.

A peer is a row of `PEERS`. One that is a program is said by its command lines; one that is a
library has a module in this folder, which `bench.peers.process` runs in a process of its own.
Everybody gets the same files and the same questions.
"""

from bench.peers.install import MissingError, prepare
from bench.peers.table import CORES, KINDS, OURS, PEERS, Kind, Peer, Place, command, filled

__all__ = [
    "CORES",
    "KINDS",
    "OURS",
    "PEERS",
    "Kind",
    "MissingError",
    "Peer",
    "Place",
    "command",
    "filled",
    "prepare",
]
