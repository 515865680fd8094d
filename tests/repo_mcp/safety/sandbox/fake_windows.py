"""A fake Windows kernel: letter case, short names, streams, devices, links and junctions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count

from repo_mcp.safety.sandbox.windows_answers import Information

DIRECTORY, REPARSE, RECALL = 0x10, 0x400, 0x400000
SYMLINK, JUNCTION, CLOUD, DEDUP, SOCKET = (
    *(0xA000000C, 0xA0000003, 0x9000001A),
    *(0x80000013, 0x80000023),
)
_EPOCH = 116_444_736_000_000_000
_numbers = count(100)


@dataclass(eq=False)
class Node:
    """A file or folder; a link has a target, a file contents."""

    name: str = ""
    parent: Node | None = None
    entries: dict[str, Node] = field(default_factory=dict)
    data: bytes = b""
    target: str = ""
    tag: int = 0
    attributes: int = 0
    links: int = 1
    disk: bool = True
    changed: int = 0
    inode: int = field(default_factory=lambda: next(_numbers))

    def put(self, path: str, **what: object) -> Node:
        """Make a file, link or (with `attributes`) folder below this one, and folders above it."""
        *above, name = path.split("/")
        here = self
        for step in above:
            if step not in here.entries:
                here.entries[step] = Node(step, here, attributes=DIRECTORY)
            here = here.entries[step]
        made = Node(name, here, **what)  # type: ignore[arg-type]
        if made.tag:
            made.attributes |= REPARSE
        here.entries[name] = made
        return made

    def move(self, to: Node, name: str) -> None:
        """Rename it, out of its folder and into another."""
        if self.parent is not None:
            del self.parent.entries[self.name]
        to.entries[name] = self
        self.name, self.parent = name, to

    def find(self, name: str) -> Node | None:
        """By name in any letter case, or by short name: six letters, a tilde and a number."""
        for known, node in self.entries.items():
            short = known.replace(".", "")[:6].casefold() + "~1"
            if name.casefold() in {known.casefold(), short}:
                return node
        return None

    def place(self) -> str:
        return f"{self.parent.place()}\\{self.name}" if self.parent is not None else self.name


def folder() -> dict[str, int]:
    return {"attributes": DIRECTORY}


def link(target: str, tag: int = SYMLINK) -> dict[str, object]:
    return {"target": target, "tag": tag}


class FakeKernel:
    """Drive C: and a share of another machine; `meanwhile` is called before each open."""

    def __init__(self) -> None:
        self.drive = Node("C:", attributes=DIRECTORY)
        self.share = Node("UNC\\evil\\share", attributes=DIRECTORY)
        self.meanwhile: Callable[[int, str], None] = lambda _count, _path: None
        self.contacted = False
        self.opened = 0
        self._handles: dict[int, tuple[Node, str]] = {}

    @property
    def open_handles(self) -> int:
        return len(self._handles)

    def open(self, path: str, *, through: bool) -> int:
        self.opened += 1
        self.meanwhile(self.opened, path)
        node, stream = self._resolved(path, through=through)
        if node.tag == SOCKET and through:
            raise error(1920)
        handle = next(_numbers)
        self._handles[handle] = (node, stream)
        return handle

    def final_path(self, handle: int) -> str:
        node, stream = self._handles[handle]
        place = node.place()
        text = "\\\\?\\" + (place + "\\" if place == "C:" else place)
        return f"{text}:{stream}" if stream else text

    def is_disk(self, handle: int) -> bool:
        return self._handles[handle][0].disk

    def information(self, handle: int) -> Information:
        return _information(self._handles[handle][0])

    def link_target(self, handle: int) -> str:
        node = self._handles[handle][0]
        # a junction's answer is laid out in another way, and looks like this when misread
        return "src\\Main.py" if node.tag == JUNCTION else node.target

    def entries(self, handle: int) -> list[tuple[str, Information]]:
        return [(n, _information(e)) for n, e in self._handles[handle][0].entries.items()]

    def read(self, handle: int, most: int) -> bytes:
        return self._handles[handle][0].data[:most]

    def close(self, handle: int) -> None:
        del self._handles[handle]

    def _resolved(self, path: str, *, through: bool, depth: int = 0) -> tuple[Node, str]:
        if depth > 20:
            raise error(1921)
        verbatim = path.startswith("\\\\?\\")
        if path == "\\\\?\\C:":  # the volume itself, not its topmost folder
            return Node("C:", disk=False), ""
        here, names = self._top(path.removeprefix("\\\\?\\"))
        stream = ""
        while names:
            name = names.pop(0)
            if not verbatim:
                name = name.rstrip(". ")
                if name.casefold().partition(".")[0] in {"con", "nul", "aux"}:
                    return Node(name, here, disk=False), ""
            name, _, stream = name.partition(":")
            found = here.find(name)
            if found is None:
                raise error(2 if not names else 3)
            if found.target and (names or through):
                start = found.target
                if found.tag == SYMLINK and not start.startswith("\\") and start[1:2] != ":":
                    above = (found.parent or found).place()
                    start = _normal(f"{above}\\{start}".replace("/", "\\"))
                rest = "\\".join((start.removeprefix("\\??\\"), *names))
                return self._resolved(rest, through=through, depth=depth + 1)
            here = found
        return here, stream

    def _top(self, path: str) -> tuple[Node, list[str]]:
        if path.startswith(("\\\\evil\\share", "UNC\\evil\\share")):
            self.contacted = True
            rest = path.removeprefix("\\\\evil\\share").removeprefix("UNC\\evil\\share")
            return self.share, [name for name in rest.split("\\") if name]
        drive, *names = path.split("\\")
        if drive.casefold() != "c:":
            raise error(3)
        return self.drive, [name for name in names if name]


def error(number: int) -> OSError:
    """An error of Windows: the message names a path, the number is in `winerror`."""
    made = OSError("C:\\outside\\there")
    made.winerror = number  # type: ignore[attr-defined]
    return made


def _information(node: Node) -> Information:
    times = (_EPOCH + node.changed, _EPOCH + node.changed)
    attributes = node.attributes | (REPARSE if node.tag else 0)
    return Information(attributes, node.tag, len(node.data), *times, node.inode, node.links, 7)


def _normal(path: str) -> str:
    names: list[str] = []
    for name in path.split("\\"):
        if name == ".." and len(names) > 1:
            names.pop()
        elif name not in {".", "..", ""}:
            names.append(name)
    return "\\".join(names)


def walk(node: Node) -> Iterator[Node]:
    yield node
    for entry in node.entries.values():
        yield from walk(entry)
