"""The open connections: which ones have shown the token, which one goes when there are too many.

Connections that have not shown the token and those that have never compete for a place. Among the
first the oldest goes, of the peer that has the most: newcomers always get in, and a client needs
its place only until its headers are read. Among the second the longest idle one goes; one that is
in use never does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Final, Protocol

from repo_mcp.protocol.http.limits import HttpLimits

Clock = Callable[[], float]
# an IPv6 host usually has a network of its own to choose addresses from
_NETWORK_BITS: Final = 64


class TrackedConnection(Protocol):
    """A connection, as the table sees it."""

    peer: str

    @property
    def is_idle(self) -> bool:
        """True if it is between two requests."""

    def check_time(self, now: float) -> None:
        """Close it if its time is over."""

    def evict(self) -> None:
        """Close it at once, to make room."""


class ConnectionTable:
    """The open connections of a server."""

    def __init__(self, limits: HttpLimits, clock: Clock) -> None:
        self.limits = limits
        self.clock = clock
        self._unproven = _Places(limits.unproven, limits.unproven_per_peer)
        self._proven = _Places(limits.proven, limits.proven_per_peer)

    def enter(self, member: TrackedConnection) -> bool:
        """Add a new connection; whether there are too many now, so that `trim` is due.

        Not trimmed here: bytes that a connection has already received are read first.
        """
        self._unproven.add(member)
        return self._unproven.crowded() is not None

    def trim(self) -> None:
        """Close connections that have not shown the token until the others fit."""
        while (peer := self._unproven.crowded()) is not None:
            member = next(self._unproven.of(peer))
            self.leave(member)
            member.evict()

    def prove(self, member: TrackedConnection) -> bool:
        """Note that a connection has shown the token; False if no place can be made for it."""
        if member in self._proven.members:
            self._proven.discard(member)
        elif not self._make_place(member.peer):
            return False
        self._unproven.discard(member)
        self._proven.add(member)
        return True

    def leave(self, member: TrackedConnection) -> None:
        """Forget a connection, if it is here."""
        self._unproven.discard(member)
        self._proven.discard(member)

    def check_times(self) -> None:
        """Close the connections whose time is over."""
        now = self.clock()
        for member in [*self._unproven.members, *self._proven.members]:
            member.check_time(now)

    def _make_place(self, peer: str) -> bool:
        """True if there is room for a connection of this peer; closes an idle one for it."""
        proven = self._proven
        own_full = proven.counts[peer] >= proven.most_per_peer
        if not own_full and len(proven.members) < proven.most:
            return True
        candidates = proven.of(peer) if own_full else iter(proven.members)
        idle = next((member for member in candidates if member.is_idle), None)
        if idle is None:
            return False
        self.leave(idle)
        idle.evict()
        return True


class _Places:
    """Connections in the order of their last request, or of their beginning."""

    def __init__(self, most: int, most_per_peer: int) -> None:
        self.most = most
        self.most_per_peer = most_per_peer
        self.members: dict[TrackedConnection, None] = {}
        self.counts: Counter[str] = Counter()

    def add(self, member: TrackedConnection) -> None:
        self.members[member] = None
        self.counts[member.peer] += 1

    def discard(self, member: TrackedConnection) -> None:
        if member in self.members:
            del self.members[member]
            self.counts[member.peer] -= 1
            if not self.counts[member.peer]:
                del self.counts[member.peer]

    def of(self, peer: str) -> Iterator[TrackedConnection]:
        return (member for member in self.members if member.peer == peer)

    def crowded(self) -> str | None:
        """The peer with the most connections if it has, or all have, too many."""
        if not self.members:
            return None
        ((peer, count),) = self.counts.most_common(1)
        over = count > self.most_per_peer or len(self.members) > self.most
        return peer if over else None


def peer_of(address: object) -> str:
    """The peer that a socket's remote address belongs to: an IPv4 address or an IPv6 network."""
    host = str(address[0]) if isinstance(address, tuple) and address else ""
    try:
        found = ip_address(host)
    except ValueError:
        return host
    if not isinstance(found, IPv6Address) or found.is_loopback:
        return host
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(IPv6Network((int(found), _NETWORK_BITS), strict=False))
