"""The simulation of builds: equal for equal seeds, complete whatever dies, and counted as built."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings, strategies as st

from bench.cluster.simulation import Cluster, Units, made_tree, quiet, simulate

UNITS = Units(0.5e-6, 0.7, 0.65, 0.06e-6, 3e-9, 1e-5, 400.0)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 40), st.integers(0, 1 << 30), st.floats(0.0, 200.0), st.integers(1000, 200_000)
)
def test_every_part_arrives_whatever_dies(
    workers: int, seed: int, deaths: float, files: int
) -> None:
    parts, merges = made_tree(files, 12_100)
    cluster = Cluster(workers, seed, deaths_per_worker_hour=deaths)
    took = simulate(parts, files, merges, UNITS, cluster)
    calm = simulate(parts, files, merges, UNITS, quiet(replace(cluster, seed=0)))
    assert took.tasks >= len(parts) + len(merges)
    assert took.tasks <= len(parts) + len(merges) + took.deaths + took.duplicates
    assert calm.tasks == len(parts) + len(merges)
    assert took.disk == calm.disk
    assert simulate(parts, files, merges, UNITS, cluster) == took


def test_requests_are_those_of_the_code() -> None:
    took = simulate([1 << 20] * 6, 60, [[0, 1, 2], [3, 4, 5]], UNITS, quiet(Cluster(2)))
    orders = 6 * 3 + 2 * (3 + 3)  # a note asked for, a segment and a note put; sources of merges
    taken_in, cleaned = 8, 1 + 2 * 8
    assert took.requests == orders + taken_in + cleaned


def test_twice_the_workers_take_half_the_time_until_the_coordinator_is_the_limit() -> None:
    parts, merges = made_tree(200_000, 12_100)
    free = replace(UNITS, receive_cpu_per_byte=0.0, walk_cpu_per_file=0.0)
    one, two = (
        simulate(parts, 200_000, merges, free, quiet(Cluster(workers))).phases["parts"]
        for workers in (4, 8)
    )
    assert 1.7 < one / two < 2.3
    slow = replace(UNITS, receive_cpu_per_byte=1e-6)
    many, more = (
        simulate(parts, 200_000, merges, slow, quiet(Cluster(workers))).seconds
        for workers in (64, 512)
    )
    assert more > 0.9 * many


def test_parts_of_a_made_tree_hold_all_of_it_and_every_part_is_merged() -> None:
    parts, merges = made_tree(1_000_000, 12_100)
    assert abs(sum(parts) - 12_100 * 1_000_000) < len(parts)
    assert max(parts) <= 16 << 20
    assert {number for numbers in merges for number in numbers} == set(range(len(parts)))
