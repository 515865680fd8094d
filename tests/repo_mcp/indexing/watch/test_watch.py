"""A process of its own hears of changes: real changes, real processes, and what ends them."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import cast

import pytest

from repo_mcp.budget import Budget
from repo_mcp.indexing.watch.inotify import Inotify
from repo_mcp.indexing.watch.messages import WatchScope
from repo_mcp.indexing.watch.watcher import Watcher
from repo_mcp.model import Settings
from repo_mcp.processes.start import Process
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER
from tests.waiting import is_running, until

pytestmark = pytest.mark.servers


class Listener:
    """Remembers what it hears."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.walks = 0

    def look_at(self, paths: Iterable[str]) -> None:
        self.paths.update(paths)

    def walk(self) -> None:
        self.walks += 1


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files: dict[str, str | bytes] = {
        "a.py": "alpha",
        "src/b.py": "beta",
        "src/deep/c.py": "gamma",
        ".gitignore": "built/",
    }
    return write(tmp_path / "root", files)


@pytest.fixture
def heard() -> Listener:
    return Listener()


Start = Callable[[], Watcher]


@pytest.fixture
def start(root: Path, heard: Listener) -> Iterator[Start]:
    made: list[Watcher] = []

    def start() -> Watcher:
        made.append(Watcher(Settings(str(root), str(root / "data"), exclude_globs=("left/**",))))
        made[-1].start(heard)
        return made[-1]

    yield start
    for watcher in made:
        watcher.close()


@pytest.fixture
def watcher(start: Start) -> Watcher:
    made = start()
    assert until(lambda: made.active), made.reason
    return made


def process_of(watcher: Watcher) -> Process:
    process = watcher._process
    assert process
    return process


def heard_of(heard: Listener, root: Path, *paths: str) -> bool:
    """True if changes of these files are reported, one written after the other."""
    write(root, dict.fromkeys(paths, "changed"))
    return until(lambda: heard.paths.issuperset(paths))


@pytest.mark.usefixtures("watcher")
def test_changed_files_are_heard_of(root: Path, heard: Listener) -> None:
    assert heard.walks == 1
    assert heard_of(heard, root, "a.py", "src/new.py", "src/deep/c.py")
    (root / "src" / "b.py").unlink()
    (root / "a.py").rename(root / "moved.py")
    assert until(lambda: {"src/b.py", "moved.py"} <= heard.paths)
    assert heard.walks == 1


@pytest.mark.usefixtures("watcher")
def test_what_is_not_walked_is_not_heard_of(root: Path, tmp_path: Path, heard: Listener) -> None:
    outside = write(tmp_path / "outside", {"secret/x.py": "x"})
    (root / "src" / "link").symlink_to(outside)
    places = ("data", ".aws", "node_modules/m", "built", "left/x", "src/link/secret")
    write(root, {f"{place}/unheard.py": "x" for place in places})
    write(root, {f"{place}/unheard.py": "again" for place in places})
    assert heard_of(heard, root, "a.py")
    assert not any("unheard" in path for path in heard.paths)


@pytest.mark.usefixtures("watcher")
def test_links_that_are_there_before_are_not_followed(
    root: Path, tmp_path: Path, heard: Listener, start: Start
) -> None:
    outside = write(tmp_path / "outside", {"secret/x.py": "x"})
    (root / "link").symlink_to(outside)
    again = start()
    assert until(lambda: again.active)
    write(outside, {"secret/x.py": "changed"})
    assert heard_of(heard, root, "a.py")
    assert not any("secret" in path for path in heard.paths)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a new folder is a walk")
@pytest.mark.usefixtures("watcher")
def test_what_lies_in_a_new_folder_is_heard_of_without_a_walk(
    root: Path, tmp_path: Path, heard: Listener
) -> None:
    write(root, {"new/one/x.py": "x", "new/two/y.py": "y"})
    assert until(lambda: {"new/one/x.py", "new/two/y.py"} <= heard.paths)
    write(tmp_path / "made", {"deep/z.py": "z"}).rename(root / "here")
    assert until(lambda: "here/deep/z.py" in heard.paths)
    assert heard_of(heard, root, "new/two/later.py", "here/deep/later.py")
    assert heard.walks == 1
    shutil.rmtree(root / "new")
    assert heard_of(heard, root, "new/one/again.py")


@pytest.mark.usefixtures("watcher")
def test_a_folder_that_is_moved_away_needs_a_walk(
    root: Path, tmp_path: Path, heard: Listener
) -> None:
    (root / "src").rename(tmp_path / "elsewhere")
    assert until(lambda: heard.walks > 1)
    write(tmp_path / "elsewhere", {"unheard.py": "x"})
    write(root, {"src/b.py": "beta"})
    assert heard_of(heard, root, "src/new.py")
    assert not any("unheard" in path for path in heard.paths)


@pytest.mark.usefixtures("watcher")
def test_new_rules_need_a_walk_and_decide_what_is_watched(root: Path, heard: Listener) -> None:
    write(root, {"built/x.py": "x"})
    for count, rules in enumerate((".gitignore", ".git/info/exclude"), 2):
        write(root, {rules: "nothing\n"})
        assert until(lambda count=count: heard.walks >= count)  # type: ignore[misc]
        assert heard_of(heard, root, "built/x.py", f"built/{count}.py")


@pytest.mark.usefixtures("watcher")
def test_many_new_files_are_a_walk_and_are_watched(
    root: Path, tmp_path: Path, heard: Listener
) -> None:
    write(tmp_path / "made", {f"{number}/x.py": "x" for number in range(300)}).rename(root / "many")
    assert until(lambda: heard.walks > 1)
    assert heard_of(heard, root, *(f"many/{number}/new.py" for number in range(0, 300, 50)))


@pytest.mark.skipif(sys.platform != "linux", reason="it is about inotify")
def test_folders_are_reported_when_they_are_created_and_removed(root: Path) -> None:
    """Files in them may have been read while nothing watched them, and no event names those."""
    from repo_mcp.indexing.watch import inotify, linux  # noqa: PLC0415 Linux only

    made, gone = inotify.CREATE | inotify.IS_FOLDER, inotify.DELETE | inotify.IS_FOLDER
    batches = [[(made, "new")], [], [(gone, "new")], []]

    class Played:
        def add(self, path: str, mask: int) -> int:
            assert mask
            return 1 if Path(path).samefile(root) else 2

        def remove(self, watch: int) -> None:
            assert watch

        def events(self, seconds: float | None) -> list[inotify.Event]:
            if seconds == 0:
                return []
            return [inotify.Event(1, mask, name) for mask, name in batches.pop(0)]

    scope = WatchScope.of(Settings(str(root), str(root / "data")))
    tree, heard = linux._WatchedTree(scope, cast("inotify.Inotify", Played())), Listener()
    tree.watch_all(heard)
    write(root, {"new/x.py": "x"})
    assert tree.report(heard)
    assert heard.paths == {"new/", "new/x.py"}
    heard.paths.clear()
    shutil.rmtree(root / "new")
    assert tree.report(heard)
    assert (heard.paths, heard.walks) == ({"new/"}, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="it is about inotify")
def test_known_folders_are_watched_before_a_walk_has_found_all(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folders that a walk no longer enters are watched no longer when it has ended."""
    from repo_mcp.indexing.walk.walk import Discovery  # noqa: PLC0415 Linux only
    from repo_mcp.indexing.watch import linux  # noqa: PLC0415 as above

    write(root, {"linked/old/x.py": "x", "built/x.py": "x", "away/x.py": "x", ".env/x.py": "x"})
    (root / "linked").rename(root / "target")
    (root / "linked").symlink_to("target")
    found = Discovery.folders

    def folders(walk: Discovery, folder: str, budget: Budget) -> Iterator[str]:
        edited = ("src/deep/new.py", "target/old/new.py", "built/new.py", ".env/new.py")
        write(root, dict.fromkeys(edited, "x"))
        monkeypatch.setattr(linux, "_FOLDERS_BETWEEN", 1)
        for number, path in enumerate(found(walk, folder, budget)):
            yield path
            if number == 0:
                early.update(heard.paths)

    monkeypatch.setattr(Discovery, "folders", folders)
    early: set[str] = set()
    scope = WatchScope.of(Settings(str(root), str(root / "data"), deny_globs=(".env",)))
    tree, heard = linux._WatchedTree(scope, Inotify()), Listener()
    known = ["", ".env/", "away/", "built/", "gone/", "gone/on/", "linked/", "linked/old/"]
    shutil.rmtree(root / "away")
    tree.watch_known([*known, "src/", "src/deep/"], heard)
    tree.watch_all(heard)
    assert early == {"src/deep/new.py", "built/new.py"}
    write(root, {"built/later.py": "x", "src/deep/later.py": "x"})
    assert tree.report(heard)
    assert heard.paths == early | {"src/deep/later.py"}
    assert sorted(tree._paths.values()) == ["", "src", "src/deep", "target", "target/old"]


@pytest.mark.skipif(sys.platform != "linux", reason="it is about inotify")
def test_what_is_no_file_waits_until_all_folders_are_watched(root: Path) -> None:
    from repo_mcp.indexing.watch import linux  # noqa: PLC0415 Linux only

    scope = WatchScope.of(Settings(str(root), str(root / "data")))
    tree, heard = linux._WatchedTree(scope, Inotify()), Listener()
    tree.watch_all(heard)
    write(root, {".gitignore": "src/", "new/x.py": "x"})
    tree.watch_all(heard)
    assert (heard.paths, heard.walks) == (set(), 0)
    assert tree.report(heard)
    assert heard.walks == 1


def test_a_folder_that_the_system_reports_as_gone_stands_for_its_files(
    root: Path, heard: Listener
) -> None:
    others = pytest.importorskip("repo_mcp.indexing.watch.others")
    tree = others._WatchedTree(WatchScope.of(Settings(str(root), str(root / "data"))))
    shutil.rmtree(root / "src")
    tree.report(heard, {str(root / "src"), str(root / "a.py")})
    assert (heard.paths, heard.walks) == ({"src", "src/", "a.py"}, 0)


class Follower:
    """Knows a tree by what is reported: reads each file, and what it knows below each folder."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.known: dict[str, str] = {}

    def now(self) -> dict[str, str]:
        found = {}
        for folder, _, names in os.walk(self._root):
            for name in names:
                file = Path(folder, name)
                with suppress(OSError):
                    found[file.relative_to(self._root).as_posix()] = file.read_text("utf-8")
        return found

    def look_at(self, paths: Iterable[str]) -> None:
        folders = tuple(path for path in paths if path.endswith("/"))
        below = [path for path in self.known if path.startswith(folders)] if folders else []
        for path in (*(path for path in paths if not path.endswith("/")), *below):
            self.known.pop(path, None)
            with suppress(OSError):
                self.known[path] = (self._root / path).read_text("utf-8")

    def walk(self) -> None:
        self.known = self.now()


def disturb(root: Path, aside: Path, chance: random.Random, kinds: int) -> None:
    """Do one thing to a tree, as people and programs do."""
    names = ["a", "b", "c", "d"]
    place = Path(*(chance.choice(names) for _ in range(chance.randint(1, 3))))
    other = Path(*(chance.choice(names) for _ in range(chance.randint(1, 3))))
    target, kind = root / place, chance.randrange(kinds)
    with suppress(OSError, shutil.Error):
        if kind < 4:
            write(target, {f"{chance.randrange(4)}.py": f"{chance.random()}"})
        elif kind == 4:
            shutil.rmtree(target)
        elif kind == 5:
            target.rename(root / other)
        elif kind == 6:
            target.rename(aside / str(chance.random()))
        else:
            chance.choice([*sorted(aside.iterdir()), aside / "nothing"]).rename(target)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kinds", [5, 8], ids=["made and removed", "moved too"])
def test_who_follows_what_is_told_knows_the_tree(
    root: Path, tmp_path: Path, seed: int, kinds: int
) -> None:
    chance = random.Random(seed)
    aside = tmp_path / "aside"
    aside.mkdir()
    follower = Follower(root)
    watcher = Watcher(Settings(str(root), str(tmp_path / "data")))
    watcher.start(follower)
    try:
        assert until(lambda: watcher.active)
        for _ in range(3):
            for _ in range(150):
                disturb(root, aside, chance, kinds)
            if watcher.report_all(FOREVER):
                assert follower.known == follower.now()
            else:  # this system reports some time later
                assert sys.platform != "linux"
                assert until(lambda: follower.known == follower.now())
    finally:
        watcher.close()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system reports later")
def test_all_changes_are_reported_when_that_is_asked_for(
    root: Path, watcher: Watcher, heard: Listener
) -> None:
    for number in range(50):
        heard.paths.clear()
        write(root, {"src/b.py": str(number), f"src/made{number}/deep/x.py": "x"})
        (root / f"{number}.py").write_bytes(b"")
        assert watcher.report_all(FOREVER)
        assert {"src/b.py", f"src/made{number}/deep/x.py", f"{number}.py"} <= heard.paths


def test_who_asks_for_changes_is_told_when_nothing_watches(
    root: Path, watcher: Watcher, heard: Listener
) -> None:
    process_of(watcher).kill()
    assert until(lambda: heard.walks == 2 and watcher.active)
    watcher.close()
    assert not watcher.report_all(FOREVER)
    assert not Watcher(Settings(str(root), str(root / "data"))).report_all(FOREVER)


def test_one_that_is_ended_is_started_again_and_then_given_up(
    root: Path, watcher: Watcher, heard: Listener
) -> None:
    for walks in (2, 3):
        first = process_of(watcher)
        first.kill()
        assert until(lambda walks=walks: heard.walks == walks and watcher.active)  # type: ignore[misc]
        assert not first.is_alive()
        assert heard_of(heard, root, f"{walks}.py")
    process_of(watcher).kill()
    assert until(lambda: "ended" in watcher.reason)
    assert not watcher.active


def test_one_that_is_closed_ends_and_gives_no_reason(watcher: Watcher) -> None:
    process = process_of(watcher)
    watcher.close()
    assert until(lambda: not process.is_alive() and not watcher.active)
    assert watcher.reason == ""


# a watch process with a part of it replaced
LIMITED = """
import errno
from repo_mcp.indexing.watch import inotify, watch_process as watching

def refuse(*_):
    raise inotify.LimitError(inotify._LIMITS[errno.{code}])

inotify.Inotify.{what} = refuse
watching.main()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such limits")
@pytest.mark.parametrize(
    ("what", "code", "said"),
    [("add", "ENOSPC", "max_user_watches"), ("__init__", "EMFILE", "max_user_instances")],
)
def test_a_limit_of_the_system_is_said(
    start: Start, monkeypatch: pytest.MonkeyPatch, what: str, code: str, said: str
) -> None:
    program = LIMITED.format(what=what, code=code)
    monkeypatch.setattr(
        "repo_mcp.indexing.watch.watcher._COMMAND", (sys.executable, "-P", "-c", program)
    )
    watcher = start()
    assert until(lambda: said in watcher.reason)
    assert not watcher.active


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has it")
@pytest.mark.parametrize("wrong", [__file__, "/nowhere/at/all", "/proc/self/cwd"])
def test_only_folders_that_no_link_leads_to_can_be_watched(wrong: str) -> None:
    with pytest.raises(NotADirectoryError if "nowhere" not in wrong else FileNotFoundError):
        Inotify().add(wrong, 0x2)


@pytest.mark.parametrize(
    ("command", "said"),
    [(("/nowhere/at/all",), "no process"), ((sys.executable, "-c", "pass"), "ended")],
)
def test_a_process_that_can_not_start_is_said(
    start: Start, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], said: str
) -> None:
    monkeypatch.setattr("repo_mcp.indexing.watch.watcher._COMMAND", command)
    watcher = start()
    assert until(lambda: said in watcher.reason)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems tell of a tree, not of folders")
@pytest.mark.usefixtures("watcher")
def test_a_root_that_goes_away_is_said(root: Path, tmp_path: Path, watcher: Watcher) -> None:
    root.rename(tmp_path / "gone")
    assert until(lambda: "gone" in watcher.reason)
    assert not watcher.active


OTHERS = """
import sys
sys.platform = "other"
{more}
from repo_mcp.indexing.watch import watch_process as watching
watching.main()
"""


def other(monkeypatch: pytest.MonkeyPatch, more: str = "") -> None:
    """Have it listen as on a system that is not Linux."""
    command = (sys.executable, "-P", "-c", OTHERS.format(more=more))
    monkeypatch.setattr("repo_mcp.indexing.watch.watcher._COMMAND", command)


def test_other_systems_tell_of_the_same_changes(
    root: Path, heard: Listener, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    other(monkeypatch, "import watchfiles")
    watcher = start()
    assert until(lambda: watcher.active), watcher.reason
    assert heard.walks == 1
    write(root, {".git/index": "x", "data/seg": "x", "node_modules/m.js": "x"})
    assert heard_of(heard, root, "a.py", "src/b.py")
    assert not any(path.startswith((".git/", "data/", "node_modules/")) for path in heard.paths)
    walks = heard.walks
    write(root, {".gitignore": "*.md"})
    assert until(lambda: heard.walks > walks)


def test_a_library_that_is_missing_is_said(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    other(monkeypatch, "sys.modules['watchfiles'] = None")
    watcher = start()
    assert until(lambda: "not installed" in watcher.reason)


PROGRAM = """
import signal, sys
from repo_mcp.indexing.watch.watcher import Watcher
from repo_mcp.model import Settings

class Listener:
    def walk(self):
        print(watcher._process._process.pid, flush=True)

watcher = Watcher(Settings(*sys.argv[1:]))
watcher.start(Listener())
signal.pause()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="numbers of processes are signalled")
def test_it_ends_when_the_server_is_killed(root: Path) -> None:
    command = [sys.executable, "-P", "-c", PROGRAM, str(root), str(root / "data")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        assert server.stdout
        number = int(server.stdout.readline())
        assert is_running(number)
        server.kill()
    assert until(lambda: not is_running(number))


def test_it_loads_neither_index_nor_parsers() -> None:
    code = (
        "import sys, repo_mcp.indexing.watch.watch_process, repo_mcp.indexing.walk.walk; "
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    heavy = {"numpy", "whoosh", "tree_sitter", "asyncio", "watchfiles", "pathspec"}
    assert heavy.isdisjoint(loaded)
    parts = {name.removeprefix("index_format.") for name in loaded if "index_format." in name}
    assert parts <= {"annotations", "errors", "late_import", "records", "tuples"}, (
        "the door and classes of values alone"
    )
