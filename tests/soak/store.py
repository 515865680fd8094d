"""A store beside the servers: publishers that are killed anywhere, collectors, and pulls."""

from __future__ import annotations

import os
import random
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Final

from repo_mcp.errors import TABLE
from repo_mcp.remote.objects.folder import FolderObjects
from tests.repo_mcp.remote.publish.checkouts import broken_publications
from tests.soak.comparison import compare_answers, compare_merged
from tests.soak.processes import Place, SoakProcess
from tests.waiting import HANG, until

_KILLED_SHARE: Final = 0.5
# a publisher is killed when it has had so much of a processor at most: more than most need
_MOST_TICKS: Final = int(4 * os.sysconf("SC_CLK_TCK"))
_KEEP: Final = "30d"
# how much older all in the store gets between two publications: the collector's spans are days
_AGE_SECONDS: Final = 10 * 24 * 3600.0


class SoakStore:
    """A folder to which the index is published, and a checkout that pulls from it."""

    def __init__(self, place: Place, folder: Path, chance: random.Random) -> None:
        """Nothing is published yet."""
        self._place = place
        self._folder = folder / "store"
        self._pulled = place._replace(data=folder / "pulled")
        self._chance = chance

    def step(self) -> None:
        """Publish and collect, maybe with a kill, then pull what the label names."""
        self._grow_older()
        # servers may write the index of the one all the time, nobody that of the other
        publisher = self._publish(self._chance.choice((self._place, self._pulled)))
        if self._chance.random() < _KILLED_SHARE:
            ticks = self._chance.randrange(_MOST_TICKS)
            until(lambda: _ticks(publisher.pid) >= ticks or publisher.process.poll() is not None)
            publisher.kill()
        else:
            self._finish(publisher, may_be_busy=True)
        if (self._folder / "v1/labels").exists():
            self._pull()

    def close(self, fresh: Path) -> list[str]:
        """Objects that are not whole or differ from a fresh index, when all has been published."""
        self._finish(self._publish(self._place))
        self._pull()
        found = list(broken_publications(FolderObjects(str(self._folder))))
        root, data = self._pulled.root, self._pulled.data
        return [*found, *compare_answers(data, fresh), *compare_merged(root, data, fresh)]

    @property
    def _url(self) -> str:
        return self._folder.as_uri()

    def _publish(self, place: Place) -> SoakProcess:
        arguments = ["publish", self._url, "--keep", _KEEP]
        return SoakProcess(place, arguments, stdout=subprocess.DEVNULL)

    def _pull(self) -> None:
        self._finish(SoakProcess(self._pulled, ["pull", self._url], stdout=subprocess.DEVNULL))

    def _finish(self, process: SoakProcess, *, may_be_busy: bool = False) -> None:
        failed = process.process.wait(HANG)
        said = process.log.read_text("utf-8", "replace")
        if failed and not (may_be_busy and TABLE["index_busy"].message in said):
            self._place.violations.append(f"{process.process.args!r} failed: {said[-200:]}")
        process.kill()

    def _grow_older(self) -> None:
        for file in self._folder.rglob("*"):
            with suppress(OSError):
                times = (file.stat().st_mtime - _AGE_SECONDS,) * 2
                os.utime(file, times)


def _ticks(pid: int) -> int:
    """The processor time that a process has had."""
    with suppress(OSError):
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return int(stat[11]) + int(stat[12])
    return 0
