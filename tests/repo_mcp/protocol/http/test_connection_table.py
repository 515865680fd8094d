"""The connections that are kept when there are too many."""

from __future__ import annotations

import pytest

from repo_mcp.protocol.http.connection_table import ConnectionTable, peer_of
from repo_mcp.protocol.http.limits import HttpLimits
from tests.repo_mcp.clocks import Clock

LIMITS = HttpLimits(unproven=6, unproven_per_peer=4, proven=4, proven_per_peer=3)


class Member:
    """A connection without a socket."""

    def __init__(self, peer: str = "here") -> None:
        self.peer = peer
        self.is_idle = False
        self.evicted = False
        self.checked: list[float] = []

    def check_time(self, now: float) -> None:
        self.checked.append(now)

    def evict(self) -> None:
        self.evicted = True


def table() -> ConnectionTable:
    return ConnectionTable(LIMITS, Clock())


def enter(entered: ConnectionTable, count: int, peer: str = "here") -> list[Member]:
    members = [Member(peer) for _ in range(count)]
    for member in members:
        entered.enter(member)
    return members


def prove(proved: ConnectionTable, count: int, peer: str = "here") -> list[Member]:
    members = [Member(peer) for _ in range(count)]
    for member in members:
        proved.enter(member)
        assert proved.prove(member)
    return members


def evicted(members: list[Member]) -> list[bool]:
    return [member.evicted for member in members]


def test_the_oldest_without_token_goes_first() -> None:
    full = table()
    members = enter(full, 4)
    full.trim()
    assert evicted(members) == [False] * 4
    last = Member()
    assert full.enter(last)
    full.trim()
    assert evicted([*members, last]) == [True, False, False, False, False]


def test_the_peer_with_the_most_connections_loses_one() -> None:
    full = table()
    quiet = enter(full, 2, "quiet")
    loud = enter(full, 4, "loud")
    more = enter(full, 1, "other")
    full.trim()
    assert evicted(quiet + more) == [False] * 3
    assert evicted(loud) == [True, False, False, False]


def test_without_the_token_no_place_of_the_others_is_taken() -> None:
    full = table()
    mine = prove(full, 3)
    crowd = enter(full, 20)
    full.trim()
    assert evicted(mine) == [False] * 3
    assert sum(evicted(crowd)) == 16
    full.leave(mine[0])
    assert full.prove(crowd[-1])


def test_a_newcomer_with_the_token_takes_the_place_of_the_longest_idle_one() -> None:
    full = table()
    members = prove(full, 3)
    for member in members:
        member.is_idle = True
    # the first one has sent another request since
    assert full.prove(members[0])
    (newcomer,) = prove(full, 1)
    assert evicted(members) == [False, True, False]
    assert not newcomer.evicted


def test_connections_in_use_are_not_closed_for_a_newcomer() -> None:
    full = table()
    members = prove(full, 3)
    late = Member()
    full.enter(late)
    assert not full.prove(late)
    assert evicted(members) == [False] * 3


def test_all_peers_share_the_places() -> None:
    full = table()
    one, two = prove(full, 2, "one"), prove(full, 2, "two")
    one[1].is_idle = True
    prove(full, 1, "three")
    assert evicted(one + two) == [False, True, False, False]


def test_those_who_left_have_no_place() -> None:
    full = table()
    for member in prove(full, 3):
        full.leave(member)
        full.leave(member)
    prove(full, 3)
    for member in enter(full, 4):
        full.leave(member)
    assert not full.enter(Member())


def test_each_is_told_the_time() -> None:
    all_ = table()
    members = prove(all_, 1) + enter(all_, 1)
    all_.check_times()
    assert [member.checked for member in members] == [[1_000.0], [1_000.0]]


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (("127.0.0.1", 5), "127.0.0.1"),
        (("::1", 5, 0, 0), "::1"),
        (("::ffff:10.0.0.5", 5, 0, 0), "10.0.0.5"),
        (("2001:db8::1", 5, 0, 0), "2001:db8::/64"),
        (("2001:db8::2:0:0:1", 5, 0, 0), "2001:db8::/64"),
        (("fe80::1%eth0", 5, 0, 2), "fe80::/64"),
        ("", ""),
        (None, ""),
    ],
)
def test_a_peer_is_an_address_or_a_network(address: object, expected: str) -> None:
    assert peer_of(address) == expected


def test_eight_clients_with_many_connections_fit() -> None:
    full = ConnectionTable(HttpLimits(), Clock())
    prove(full, 8 * 32)
    assert not any(full.enter(Member()) for _ in range(8 * 16))
