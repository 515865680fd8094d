"""The folder at the root is removed, replaced or gone while a server runs: real processes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tests.repo_mcp.server_process import Server, running
from tests.repo_mcp.tree_files import write
from tests.waiting import until

pytestmark = pytest.mark.servers

OLD: Final[dict[str, str | bytes]] = {
    "both.py": "needle = 'first'\n",
    "gone.py": "needle = 'first'\n",
    "sub/deep.py": "needle = 'first'\n",
}
NEW: Final[dict[str, str | bytes]] = {"both.py": "needle = 'second'\n", "new.py": "x = 'second'\n"}
SWAPPED: Final = "was removed or replaced"
LINUX: Final = sys.platform == "linux"
needs_proc = pytest.mark.skipif(not LINUX, reason="what a process has open is read from /proc")


def remove(root: Path) -> None:
    """Remove a folder in which a server may be writing."""
    while root.exists():
        shutil.rmtree(root, ignore_errors=True)


def removed(root: Path) -> None:
    remove(root)
    write(root, NEW)


def moved(root: Path) -> None:
    root.rename(root.with_name("moved"))
    write(root, NEW)


def exchanged(root: Path) -> None:
    fresh = write(root.with_name("fresh"), NEW)
    root.rename(root.with_name("before"))
    fresh.rename(root)


Swap = Callable[[Path], None]
SWAPS: Final[tuple[Swap, ...]] = (removed, moved, exchanged)


class Talk(NamedTuple):
    """Calls of one toolset, which all work alike."""

    server: Server
    toolset: str

    def answer(self, name: str, **arguments: object) -> dict[str, Any]:
        reply = self.server.ask(name, "tools/call", name=name, arguments=arguments)
        result: dict[str, Any] = reply["result"]
        return result

    def data(self, name: str, **arguments: object) -> dict[str, Any]:
        data: dict[str, Any] = self.answer(name, **arguments)["structuredContent"]
        return data

    def listed(self) -> tuple[list[str], list[str]]:
        """The paths of the files in the root, and the warnings of that answer."""
        if self.toolset == "interrogator":
            data = self.data("repo.list_files")
            return [item["path"] for item in data["result"]["files"]], data["warnings"]
        if self.toolset == "codeagent":
            data = self.data("list_directory")
            found = [item["name"] for item in data["entries"] if item["type"] == "file"]
            return found, data.get("warnings", [])
        entries = self.data("list_dir", repo="code")["result"]["entries"]
        return [item["path"] for item in entries if item["type"] == "file"], []

    def opened(self, path: str) -> str:
        """The answer to opening a file, as text."""
        name = {
            "interrogator": "repo.open_file",
            "codeagent": "read_file",
            "retrieval": "open_file",
        }[self.toolset]
        repo = {"repo": "code"} if self.toolset == "retrieval" else {}
        text: str = self.answer(name, path=path, **repo)["content"][0]["text"]
        return text

    def found(self, query: str) -> list[str]:
        """The paths of files in which a word is found."""
        if self.toolset == "interrogator":
            data = self.data("repo.search", query=query, mode="literal")
            return sorted(item["path"] for item in data["result"].get("files", []))
        if self.toolset == "codeagent":
            return sorted(path for path in ("both.py", "new.py") if query in self.opened(path))
        matches = self.data("search", query=query, repo="code")["result"]["matches"]
        return sorted(item["path"] for item in matches)


TOOLSETS: Final = ("interrogator", "codeagent", "retrieval")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", OLD)


@contextmanager
def serving(root: Path, toolset: str, data: Path, *more: str) -> Iterator[Talk]:
    """A server of one toolset; its data lie where they are told to, if they may."""
    given = ["--toolsets", toolset, *more]
    place = root
    if toolset == "retrieval":
        place, data = root.parent / "elsewhere", root.parent / "elsewhere.data"
        place.mkdir(exist_ok=True)
        (root.parent / "docs").mkdir(exist_ok=True)
        given += ["--docs-root", str(root.parent / "docs"), "--code-root", str(root)]
    with running(place, data, *given) as server:
        yield Talk(server, toolset)
        assert server.close() == 0


def data_folder(root: Path, where: str) -> Path:
    return root / ".repo_mcp" if where == "inside" else root.parent / "data"


@pytest.mark.parametrize("where", ["inside", "outside"])
@pytest.mark.parametrize("swap", SWAPS)
@pytest.mark.parametrize("toolset", TOOLSETS)
def test_the_next_call_is_answered_from_the_folder_that_is_there(
    root: Path, toolset: str, swap: Swap, where: str
) -> None:
    with serving(root, toolset, data_folder(root, where), "--no-watch") as talk:
        names, warnings = talk.listed()
        assert (names[:2], warnings) == (["both.py", "gone.py"], [])
        assert talk.found("first")[:1] == ["both.py"]
        swap(root)
        names, warnings = talk.listed()
        assert names == ["both.py", "new.py"]
        assert any(SWAPPED in text for text in warnings) is (toolset != "retrieval")
        assert talk.found("first") == []
        assert talk.found("second") == ["both.py", "new.py"]
        assert "needle = 'second'" in talk.opened("both.py")
        assert "first" not in talk.opened("gone.py")
        assert not any(SWAPPED in text for text in talk.listed()[1])


MISSING: Final = {
    "interrogator": "root_missing",
    "codeagent": "the repository's folder is missing",
    "retrieval": "ROOT_INVALID",
}


@pytest.mark.parametrize("instead", ["nothing", "a file", "a link"])
@pytest.mark.parametrize("toolset", TOOLSETS)
def test_without_its_folder_every_call_says_so_until_it_is_back(
    root: Path, toolset: str, instead: str
) -> None:
    away = root.with_name("away")
    secret = write(root.with_name("secret"), {"both.py": "hidden"})
    with serving(root, toolset, root.parent / "data", "--no-watch") as talk:
        assert talk.found("first")[:1] == ["both.py"]
        root.rename(away)
        if instead == "a file":
            root.write_text("")
        elif instead == "a link":
            root.symlink_to(secret)
        for _ in range(2):
            told = talk.opened("both.py")
            assert MISSING[toolset] in told
            assert "hidden" not in told
        if instead != "nothing":
            root.unlink()
        away.rename(root)
        assert "needle = 'first'" in talk.opened("both.py")
        assert talk.found("first")[:1] == ["both.py"]


def test_resources_say_that_the_folder_is_missing(root: Path) -> None:
    with serving(root, "interrogator", root.parent / "data", "--no-watch") as talk:
        listed = talk.server.ask(1, "resources/list")["result"]["resources"]
        assert [item["name"] for item in listed] == ["both.py", "gone.py", "repo-mcp"]
        root.rename(root.with_name("away"))
        for method, params in (
            ("resources/list", {}),
            ("resources/read", {"uri": "repo:///both.py"}),
        ):
            error = talk.server.ask(method, method, **params)["error"]
            assert "the repository's folder is missing" in error["message"]
        write(root, NEW)
        listed = talk.server.ask(2, "resources/list")["result"]["resources"]
        assert [item["name"] for item in listed] == ["both.py", "new.py", "repo-mcp"]
        # no tool was called meanwhile: the next one tells
        assert any(SWAPPED in text for text in talk.listed()[1])


@pytest.mark.parametrize("toolset", TOOLSETS)
def test_a_folder_that_is_missing_at_the_first_call_is_served_when_it_is_back(
    root: Path, toolset: str
) -> None:
    with serving(root, toolset, root.parent / "data", "--no-watch") as talk:
        talk.server.ask("up", "ping")
        root.rename(root.with_name("away"))
        assert MISSING[toolset] in talk.opened("both.py")
        root.with_name("away").rename(root)
        assert "needle = 'first'" in talk.opened("both.py")
        assert not any(SWAPPED in text for text in talk.listed()[1])


@pytest.mark.parametrize("toolset", TOOLSETS)
def test_a_link_is_followed_once_and_its_folder_may_be_replaced(root: Path, toolset: str) -> None:
    link, other = root.with_name("link"), write(root.with_name("other"), NEW)
    link.symlink_to(root)
    with serving(link, toolset, link / ".repo_mcp", "--no-watch") as talk:
        assert "needle = 'first'" in talk.opened("both.py")
        link.unlink()
        link.symlink_to(other)
        for _ in range(2):
            names, warnings = talk.listed()
            assert names[:1] == ["both.py"]
            assert any("restart the server" in text for text in warnings) is (
                toolset != "retrieval"
            )
            assert "needle = 'first'" in talk.opened("both.py")
        assert sorted(path.name for path in other.iterdir()) == ["both.py", "new.py"]
        link.unlink()
        link.symlink_to(root)
        removed(root)
        names, warnings = talk.listed()
        assert names == ["both.py", "new.py"]
        assert not any("restart the server" in text for text in warnings)


def children(number: int) -> list[int]:
    """The processes that a process has started."""
    listed = Path(f"/proc/{number}/task").glob("*/children")
    return sorted({int(child) for file in listed for child in file.read_text().split()})


def held(number: int) -> tuple[int, int, int]:
    """The numbers of descriptors, threads and child processes of a process."""
    folder = Path(f"/proc/{number}")
    counts = (len(list((folder / name).iterdir())) for name in ("fd", "task"))
    return (*counts, len(children(number)))  # type: ignore[return-value]


@needs_proc
@pytest.mark.parametrize("watching", ["--no-watch", ""])
@pytest.mark.parametrize("toolset", TOOLSETS)
def test_swapping_again_and_again_leaves_nothing_open(
    root: Path, toolset: str, watching: str
) -> None:
    def swap_and_ask(number: int) -> None:
        remove(root)
        write(root, {f"file{number}.txt": "needle\n"})  # no parser, so no worker stays
        assert talk.listed()[0] == [f"file{number}.txt"]
        use(talk)
        if toolset == "interrogator":
            talk.data("repo.build_context_bundle", prompt="where is the needle")

    more = [watching] if watching else []
    with serving(root, toolset, root / ".repo_mcp", *more) as talk:
        process = talk.server.process.pid

        def is_settled(limit: tuple[int, ...]) -> bool:
            use(talk)
            return all(now <= most for now, most in zip(held(process), limit, strict=True))

        use(talk)  # a server that has not opened the root yet would refuse it
        swap_and_ask(0)
        # one watches, if any does: it starts after an answer, and those before it end soon
        expected = 0 if watching else 1
        assert until(lambda: len(children(process)) == expected)
        # an index that is open has a few descriptors; what leaks, leaks with each swap
        limit = (*(count + 10 for count in held(process)[:2]), expected)
        for number in range(1, 21):
            swap_and_ask(number)
        assert until(lambda: is_settled(limit)), (limit, held(process))


def use(talk: Talk) -> None:
    """Have it search, or what else needs the index."""
    if talk.toolset == "codeagent":
        talk.data("get_status")
    else:
        talk.found("needle")


def watched_folders(number: int) -> set[int]:
    """The inodes that the children of a process watch."""
    found: set[int] = set()
    for child in children(number):
        for file in Path(f"/proc/{child}/fdinfo").glob("*"):
            try:
                text = file.read_text()
            except OSError:
                continue
            found.update(
                int(inode, 16) for inode in re.findall(r"^inotify .*ino:(\w+)", text, re.MULTILINE)
            )
    return found


@needs_proc
@pytest.mark.parametrize("toolset", TOOLSETS)
def test_the_new_folder_is_watched_and_the_old_one_is_not(root: Path, toolset: str) -> None:
    with serving(root, toolset, root.parent / "data") as talk:
        process = talk.server.process.pid

        def is_watched(folder: Path) -> bool:
            use(talk)
            return folder.stat().st_ino in watched_folders(process)

        assert until(lambda: is_watched(root))
        moved(root)
        assert until(lambda: is_watched(root))
        assert until(lambda: not is_watched(root.with_name("moved")))


def in_namespace(process: int, *command: str) -> None:
    """Run a command that sees the mounts of a process."""
    entered = ["nsenter", "-t", str(process), "-U", "-m", "--preserve-credentials"]
    subprocess.run([*entered, *command], check=True)


def can_mount() -> bool:
    try:
        command = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not can_mount(), reason="mounting is not allowed here")
def test_a_file_system_that_is_unmounted_and_mounted_again_is_another_root(root: Path) -> None:
    # a shell that the server replaces: its number is that of the server
    mounted = f"mount -t tmpfs none {root}; echo first > {root}/both.py; exec"
    command = ["unshare", "-rm", "sh", "-c", f'{mounted} "$@"', "sh"]
    with running(root, root.parent / "data", "--no-watch", around=command) as server:
        talk = Talk(server, "interrogator")
        number = server.process.pid
        assert "first" in talk.opened("both.py")
        in_namespace(number, "umount", "-l", str(root))
        assert talk.listed()[0] == sorted(OLD)
        in_namespace(number, "mount", "-t", "tmpfs", "none", str(root))
        in_namespace(number, "sh", "-c", f"echo second > {root}/new.py")
        names, warnings = talk.listed()
        assert names == ["new.py"]
        assert SWAPPED in warnings[0]
        assert "second" in talk.opened("new.py")
        assert server.close() == 0
