"""The generated parts of docs/format.md: taken from the code that reads and writes the bytes."""

from __future__ import annotations

import ast
import re
import struct
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from docs.format_example import example_dump, example_files
from index_format import layout
from index_format.codec import frame, postings
from index_format.health.segment_check import expected_sections
from index_format.model import Field, Schema

SECTION_MODULES = (
    "segment.writer",
    "codec.number_columns",
    "codec.paths",
    "codec.fingerprints",
    "codec.chunks",
    "codec.attachments",
    "codec.term_index",
    "codec.term_pages",
    "codec.postings",
    "codec.positions",
)
FRAME_STRUCTS = {"header": frame.HEADER, "directory": frame.ENTRY, "footer": frame.FOOTER}
KINDS = {"B": "u8", "H": "u16", "I": "u32", "Q": "u64"}


def versions() -> Iterator[str]:
    """The version constants."""
    yield from ("| constant | value |", "|---|---|")
    for name in ("FORMAT_VERSION", "FEATURE_VERSION", "MIN_READABLE_VERSION"):
        yield f"| `{name}` | {getattr(layout, name)} |"


def file_names() -> Iterator[str]:
    """The grammar of file names."""
    yield from ("| file | name |", "|---|---|")
    yield f"| pointer | `{layout.CURRENT_NAME}` |"
    yield f"| manifest | `{layout.MANIFEST_NAME.pattern}` |"
    yield f"| segment | `{layout.SEGMENT_NAME.pattern}` |"
    yield f"| under construction | `{layout.TEMPORARY_NAME.pattern}` |"
    yield f"| writer lock | `{layout.LOCK_NAME}` |"


def constants() -> Iterator[str]:
    """Every number of `layout`, with the comment that stands beside it."""
    yield from ("| constant | value | |", "|---|---|---|")
    source = source_of(layout)
    lines = source.splitlines()
    for node in ast.parse(source).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            value = getattr(layout, node.target.id)
            if isinstance(value, int | bytes | tuple):
                note = lines[node.lineno - 1].partition("  # ")[2]
                shown = f"{value:,}" if isinstance(value, int) else ascii(value)
                yield f"| `{node.target.id}` | {shown} | {note} |"


def source_of(module: ModuleType) -> str:
    """A module's text."""
    with open(module.__file__ or "", encoding="utf-8") as file:  # noqa: PTH123  (one line)
        return file.read()


def documented(part: str) -> list[tuple[str, str]]:
    """Names and types of a frame part as the module's docstring lists them."""
    text = re.sub(r"\n +\|", " |", frame.__doc__ or "")
    found = re.search(rf"^ *(?:tail +)?{part} +(?:per section: )?(.*)$", text, re.MULTILINE)
    if found is None:
        msg = f"the docstring of frame has no line for {part}"
        raise ValueError(msg)
    items = [item.strip() for item in found[1].split(" | ")]
    return [(" ".join(item.split()[:-1]), item.split()[-1]) for item in items]


def frame_tables() -> Iterator[str]:
    """Offsets of the frame's fixed records; the docstring and the struct must agree."""
    for part, packed in FRAME_STRUCTS.items():
        yield from (f"`{part}`, {packed.size} bytes:", "", "| offset | bytes | field | type |")
        yield "|---|---|---|---|"
        offset = 0
        codes = re.findall(r"\d*s|[BHIQ]", packed.format)
        for code, (name, kind) in zip(codes, frame_fields(part), strict=True):
            size = struct.calcsize(f"<{code}")
            if kind not in {KINDS.get(code), str(size), "tail"}:
                msg = f"{part}: {name} is {kind} in the docstring and {code} in the struct"
                raise ValueError(msg)
            yield f"| {offset} | {size} | {name} | {KINDS.get(code, 'bytes')} |"
            offset += size
        yield ""


def frame_fields(part: str) -> list[tuple[str, str]]:
    """The documented fields; the seal is described by a sentence there."""
    fields = documented(part)
    if part == "footer":
        fields[-1] = ("seal: xxh3_128 of the tail before it", "16")
    return fields


def blocks() -> Iterator[str]:
    """The metadata of a block."""
    yield from ("| offset | field | type |", "|---|---|---|")
    kinds = {"u1": "u8", "<u2": "u16", "<u4": "u32"}
    fields: Mapping[str, tuple[Any, ...]] = postings.BLOCK_META.fields or {}
    for name in postings.BLOCK_META.names or ():
        kind, offset = fields[name][:2]
        yield f"| {offset} | {name} | {kinds[kind.str.removeprefix('|')]} |"
    yield ""
    yield f"Widths of a full block by code: {', '.join(map(str, layout.BLOCK_WIDTHS))}."
    yield f"Widths of a tail's frequencies by code: {', '.join(map(str, postings.TAIL_WIDTHS))}."


def sections() -> Iterator[str]:
    """The layout tables that stand in the modules' docstrings."""
    for name in SECTION_MODULES:
        text = import_module(f"index_format.{name}").__doc__ or ""
        yield from (f"[{name}](../index_format/{name.replace('.', '/')}.py):", "", "```")
        yield from (line[4:] for line in text.splitlines() if line.startswith("    "))
        yield from ("```", "")


def section_list() -> Iterator[str]:
    """Every kind of section, in the order of a file."""
    yield from ("| tag | in the code | stands there | what it holds |", "|---|---|---|---|")
    for tag in layout.SectionTag:
        yield f"| `{tag.decode()}` | `{tag.name}` | {tag.repeats} | {tag.holds} |"


def order() -> Iterator[str]:
    """The order of sections in a file."""
    schema = Schema((Field("first"), Field("second", positions=False)))
    labels = [f"`{tag.decode()}[{field}]`" for tag, field in expected_sections(schema, 1)]
    yield " ".join(labels)


def example() -> Iterator[str]:
    """A small index, all of its bytes and what they mean."""
    files = example_files()
    yield from ("```", *(f"{len(data):>6}  {name}" for name, data in files.items()), "```", "")
    for name in files:
        yield from ("```", *example_dump(name), "```", "")


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "versions": versions,
    "file names": file_names,
    "constants": constants,
    "frame": frame_tables,
    "section list": section_list,
    "order": order,
    "sections": sections,
    "blocks": blocks,
    "example": example,
}


def filled(text: str) -> str:
    """The document with its generated parts written anew."""

    def fill(match: re.Match[str]) -> str:
        lines = [line.rstrip() for line in PARTS[match[2]]()]
        return f"{match[1]}\n" + "\n".join(lines).strip() + f"\n{match[3]}"

    part = re.compile(r"(<!-- generated: ([\w ]+) -->)\n.*?(<!-- end -->)", re.DOTALL)
    return part.sub(fill, text)
