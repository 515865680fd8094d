"""Times one server for many users at once: answers, memory, and turns beside one who asks much.

    python -m bench.served TREE --keep FOLDER [--pause 10] [--processes 1 2] [--record]

The index is built below `--keep` if it is not there. Each client has a connection and a session of
its own; ten share a token, as ten assistants of one user would. Clients call search, symbols, lines
and files of the tree, and pause as people and models do, by chance, `--pause` seconds on average.
Then nobody pauses. Then a token with 40 clients that never pause is beside the others; and so once
more with one token for all, whose calls are answered in the order of their arrival. So it is with
each number of processes; clients and server share the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
import re
import secrets
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from bench import machine
from bench.served.session import HttpSession
from bench.timing import percentile
from repo_mcp.protocol.http.listener import Address

_PROGRAM: Final = str(Path(sys.executable).parent / "repo-mcp")
_CLIENTS_OF_A_TOKEN: Final = 10
_GREEDY: Final = 40
_ALONE_CALLS: Final = 200
_SECONDS: Final = 60
# a busy server takes its time to see that clients are gone
_REST_SECONDS: Final = 3
_NAMES: Final = 200
_WORD: Final = re.compile(r"\b[a-z][a-z0-9]+(?:_[a-z0-9]+)+\b")
_CODE: Final = frozenset({".c", ".h", ".py", ".go", ".rs", ".java", ".ts", ".js", ".cpp"})


class ServedTree(NamedTuple):
    """A server of a tree that runs, and the tokens that it knows."""

    address: Address
    process: int
    tokens: Sequence[str]

    def memory(self) -> int:
        """The megabytes that it and its processes have in memory, and no file has."""
        return sum(map(_kilobytes, _family(self.process))) // 1000


def _family(process: int) -> Iterator[int]:
    """A process, those that it has started, and so on."""
    yield process
    for thread in Path(f"/proc/{process}/task").iterdir():
        for child in (thread / "children").read_text("utf-8").split():
            yield from _family(int(child))


def _kilobytes(process: int) -> int:
    lines = Path(f"/proc/{process}/status").read_text("utf-8").splitlines()
    fields = dict(line.split(":", 1) for line in lines)
    return int(fields["RssAnon"].split()[0])


class Call(NamedTuple):
    """A tool and its arguments."""

    tool: str
    arguments: Mapping[str, Any]


def main() -> None:
    """Run all loads on one server."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--pause", type=float, default=10)
    parser.add_argument("--seconds", type=float, default=_SECONDS)
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    tree = given.tree.absolute()
    data = given.keep.absolute() / "data"
    index = [_PROGRAM, "index", "--graph", "--repo-root", str(tree), "--data-dir", str(data)]
    subprocess.run(index, check=True, stdout=subprocess.DEVNULL)
    calls = _calls(tree)
    tokens = given.clients // _CLIENTS_OF_A_TOKEN + 1
    loads = {}
    for count in given.processes:
        with _served(tree, data, given.keep, tokens, count) as server:
            load = _measure(server, calls, given.clients, given.pause, given.seconds)
            loads[str(count)] = asyncio.run(load)
        print(json.dumps({count: loads[str(count)]}, indent=2), flush=True)
    load_of = {"clients": given.clients, "pause": given.pause, "seconds": given.seconds}
    figures = {**load_of, "processes": loads}
    if given.record:
        machine.keep(f"served-{tree.name}", figures)


async def _measure(
    server: ServedTree, calls: Sequence[Call], clients: int, pause: float, seconds: float
) -> dict[str, Any]:
    *users, greedy = server.tokens
    tokens = [users[number % len(users)] for number in range(clients)]
    load = Load(server.address, calls, seconds)
    # each call once: what is read from the disk, and loaded, is not what is measured
    await load.run_each(users[0])
    figures: dict[str, Any] = {"memory_alone_mb": server.memory()}
    figures["one_client"] = _figures(await load.run_each(users[0]), 0)
    paced = await load.run(tokens, pause)
    figures["all_with_pauses"] = _figures(paced, seconds)
    figures["memory_mb"] = server.memory()
    figures["all_without_pauses"] = _figures(await load.run(tokens, 0), seconds)
    figures["memory_after_mb"] = server.memory()
    for name, token in (("beside_a_greedy_token", greedy), ("beside_one_of_their_token", users[0])):
        others = tokens if token == greedy else [token] * clients
        spent, much = await load.run_beside(others, pause, [token] * _GREEDY)
        figures[name] = {**_figures(spent, seconds), "greedy": _figures(much, seconds)}
    return figures


class Load:
    """Clients that call tools of a server for some seconds."""

    def __init__(self, address: Address, calls: Sequence[Call], seconds: float) -> None:
        self._address = address
        self._calls = calls
        self._seconds = seconds

    async def run_each(self, token: str) -> list[float]:
        """The milliseconds of each call, one after the other."""
        session = await HttpSession.opened(self._address, token)
        spent = [await _time(session, call) for call in self._calls[:_ALONE_CALLS]]
        session.close()
        return spent

    async def run(self, tokens: Sequence[str], pause: float) -> list[float]:
        """The milliseconds of all calls of a client for each token."""
        spent, _ = await self.run_beside(tokens, pause, ())
        return spent

    async def run_beside(
        self, tokens: Sequence[str], pause: float, greedy: Sequence[str]
    ) -> tuple[list[float], list[float]]:
        """The same, and those of clients beside them that don't pause."""
        given = (*tokens, *greedy)
        sessions = [await HttpSession.opened(self._address, token) for token in given]
        end = time.monotonic() + self._seconds
        pauses = [pause] * len(tokens) + [0.0] * len(greedy)
        spent = await asyncio.gather(
            *(
                self._repeat(session, random.Random(number), pauses[number], end)
                for number, session in enumerate(sessions)
            )
        )
        for session in sessions:
            session.close()
        await asyncio.sleep(_REST_SECONDS)
        return [*chain(*spent[: len(tokens)])], [*chain(*spent[len(tokens) :])]

    async def _repeat(
        self, session: HttpSession, chance: random.Random, pause: float, end: float
    ) -> list[float]:
        spent: list[float] = []
        while True:
            if pause:
                await asyncio.sleep(chance.expovariate(1 / pause))
            if time.monotonic() >= end:
                return spent
            spent.append(await _time(session, chance.choice(self._calls)))


async def _time(session: HttpSession, call: Call) -> float:
    begin = time.perf_counter()
    await session.call(call.tool, call.arguments)
    return (time.perf_counter() - begin) * 1000


def _figures(spent: Sequence[float], seconds: float) -> dict[str, float]:
    rate = {"calls_a_second": round(len(spent) / seconds, 1)} if seconds else {}
    return {
        "calls": len(spent),
        **rate,
        "p50_ms": round(statistics.median(spent or [0]), 1),
        "p95_ms": round(percentile(spent, 0.95), 1),
        "p99_ms": round(percentile(spent, 0.99), 1),
    }


@contextmanager
def _served(tree: Path, data: Path, keep: Path, count: int, processes: int) -> Iterator[ServedTree]:
    tokens = [secrets.token_hex(24) for _ in range(count)]
    hashes = (hashlib.sha256(token.encode()).hexdigest() for token in tokens)
    tables = (f'[tokens.user{n}]\nsha256 = "{digest}"\n' for n, digest in enumerate(hashes))
    path = keep / "tokens.toml"
    path.write_text("".join(tables), "utf-8")
    command = [_PROGRAM, "serve", "--http", "--http-port", "0", "--http-tokens", str(path)]
    command += ["--http-processes", str(processes)]
    with subprocess.Popen(
        [*command, "--repo-root", str(tree), "--data-dir", str(data)],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                _, is_ready, address = line.partition("serving at ")
                if is_ready:
                    break
            else:
                raise SystemExit("the server did not start")
            url = urlsplit(address.strip())
            yield ServedTree(Address(str(url.hostname), url.port or 0), process.pid, tokens)
        finally:
            process.terminate()


def _calls(tree: Path) -> list[Call]:
    """Calls about names and files that the tree has, drawn by chance, the same for equal trees.

    Each name of some files is as likely as any other, however often it is there.
    """
    chance = random.Random(7)
    files = sorted(path for path in tree.rglob("*.*") if path.suffix in _CODE and path.is_file())
    drawn = chance.sample(files, min(len(files), _NAMES))
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in drawn)
    names = sorted({name for text in texts for name in _WORD.findall(text)})
    calls = []
    for path in drawn:
        name, other = chance.choice(names), chance.choice(names)
        shown = {"path": path.relative_to(tree).as_posix(), "start_line": 1, "end_line": 80}
        calls += [
            Call("repo.search", {"query": f"{name.replace('_', ' ')} {other.split('_')[0]}"}),
            Call("repo.search", {"query": name, "mode": "literal"}),
            Call("repo.symbol", {"name": name}),
            Call("repo.open_file", shown),
        ]
    chance.shuffle(calls)
    return calls


if __name__ == "__main__":
    main()
