"""Writes the sources of a shape for a size."""

from __future__ import annotations

from collections.abc import Callable, Mapping

# the sources of a shape for a size, by path
Sources = Mapping[str, str]
# sources for a size
Shape = Callable[[int], Sources]


def each(count: int, line: str, between: str = "\n") -> str:
    """A line for each number; `{n}`, `{m}` and `{p}` are it, the next and the previous one."""
    return between.join(
        line.replace("{n}", str(n)).replace("{m}", str(n + 1)).replace("{p}", str(max(n - 1, 0)))
        for n in range(count)
    )


def one_file(path: str, *parts: str | tuple[str, float]) -> Shape:
    """A shape of one file: texts as they are, and lines with how often they stand for a size."""

    def made(size: int) -> Sources:
        text = [
            part if isinstance(part, str) else each(max(int(size * part[1]), 1), part[0])
            for part in parts
        ]
        return {path: "\n".join(text) + "\n"}

    return made


def nested(path: str, begin: str, inner: str, end: str, share: float = 1) -> Shape:
    """A shape of one file with parts in parts."""

    def made(size: int) -> Sources:
        count = int(size * share)
        return {path: each(count, begin) + "\n" + inner + "\n" + end * count + "\n"}

    return made


def many_files(path: str, text: str, extra: Shape | None = None, *, ring: bool = False) -> Shape:
    """A shape of many files, `{n}` followed by `{m}`; in a ring, the last one by the first."""

    def made(size: int) -> Sources:
        found: dict[str, str] = {}
        for n in range(size):
            following = (n + 1) % size if ring else n + 1
            names = (("{n}", str(n)), ("{m}", str(following)))
            name, content = path, text
            for mark, value in names:
                name, content = name.replace(mark, value), content.replace(mark, value)
            found[name] = content + "\n"
        return {**found, **(extra(size) if extra else {})}

    return made
