"""Renders a bundle as a Markdown page, and keeps the last bundle in the data folder."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from repo_mcp import side_files
from repo_mcp.bundle.model import Bundle, Excerpt, FilePlace
from repo_mcp.bundle.reasons import Notice, NoticeCode
from repo_mcp.bundle.weights import SizeWeights
from repo_mcp.question.keywords import Keyword
from repo_mcp.question.parse import clean_prompt
from repo_mcp.text.cutting import cut

_TICKS: Final = re.compile(r"`+")
# special characters of Markdown and HTML
_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|~!&])")
# control characters of terminals, and marks that change the direction of text
_UNSEEN: Final = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)
_NAME: Final = re.compile(r"(?=[\w./-]*[_./])[\w./-]*\w[,;]?")
DATA: Final = "last_bundle.json"
PAGE: Final = "last_bundle.md"
# vouches for both: nothing that came with the repository may be served as ours
_ORIGIN: Final = "last_bundle.origin"
_MAX_BYTES: Final = 16 << 20


def render_page(bundle: Bundle, prompt: str) -> str:
    """The page; text of files and prompts can't break out of its fence."""
    return "\n".join(_lines(bundle, prompt)) + "\n"


def _lines(bundle: Bundle, prompt: str) -> Iterator[str]:
    used, request = bundle.used, bundle.request
    yield "# Context bundle"
    yield ""
    yield from _fenced(
        cut(prompt, SizeWeights.PAGE_PROMPT),
        "text",
    )
    yield ""
    limit = f" of {request.max_tokens}" if request.max_tokens else ""
    yield (
        f"{used.files} of {request.max_files} files, {used.lines} of {request.max_total_lines}"
        f" lines, about {used.tokens}{limit} tokens. Bundle {bundle.bundle_id}, prompt"
        f" {bundle.prompt_fingerprint}."
    )
    for warning in bundle.warnings:
        yield ""
        yield f"> {_plain(warning)}"
    yield from _contents(bundle)
    for path, excerpts in bundle.by_file().items():
        yield ""
        yield f"## {_code(path)}"
        for item in excerpts:
            yield from _excerpt(item)
    yield from _places(bundle)
    yield from _audit(bundle)


def _contents(bundle: Bundle) -> Iterator[str]:
    yield ""
    yield "## Contents"
    yield ""
    for number, item in enumerate(bundle.excerpts, 1):
        name = f" {_code(item.symbol)}" if item.symbol else ""
        yield f"{number}. {_code(item.citation)}{name}: {_reason(item.rationale)}"
    if not bundle.excerpts:
        yield "Nothing."
    if bundle.flow:
        yield ""
        yield "## Calls"
        yield ""
        yield from (f"- {_code(chain)}" for chain in bundle.flow)


def _excerpt(item: Excerpt) -> Iterator[str]:
    name = _code(item.symbol) if item.symbol else "lines"
    yield ""
    yield f"### {name} {_code(item.citation)}"
    yield ""
    stale = " (changed since it was indexed)" if item.stale else ""
    yield f"{item.role}: {_reason(item.rationale)}{stale}"
    yield ""
    yield from _fenced(item.text, item.language)


def _places(bundle: Bundle) -> Iterator[str]:
    if bundle.places:
        yield ""
        yield "## Further places"
        yield ""
        yield from map(_place, bundle.places)


def _place(item: FilePlace) -> str:
    symbol = f" in {_code(item.symbol)}" if item.symbol else ""
    return f"- {_code(item.citation)}{symbol}{': ' if item.rationale else ''}{item.rationale}"


def _audit(bundle: Bundle) -> Iterator[str]:
    audit = bundle.audit
    yield ""
    yield "## How it was made"
    yield ""
    yield f"- by the bundler {_plain(audit.bundler)}, from index generation {audit.generation}"
    yield f"- keywords: {', '.join(map(_keyword, audit.keywords)) or 'none'}"
    for run in audit.searches:
        yield f"- {_plain(run.kind)} {_code(run.query)}: {run.hits} found"
    yield f"- {audit.considered} candidates were weighed, {audit.left_out_count} left out"
    for out in audit.left_out:
        name = f" {_code(out.symbol)}" if out.symbol else ""
        place = _code(f"{out.path}:{out.start_line}-{out.end_line}")
        yield f"  - {place}{name}: {_plain(out.reason.text)}"
    for path, excerpts in bundle.by_file().items():
        yield f"- {_code(path)} has the fingerprint {excerpts[0].fingerprint}"
    if not audit.complete:
        yield "- time ran out before all searches were made"
    yield f"- tokens are estimated: {_plain(audit.token_estimate)}"


def _keyword(item: Keyword) -> str:
    place = f":{item.line}" if item.line else ""
    return f"{_code(item.text + place)} ({item.kind} {item.weight:g})"


def _fenced(text: str, language: str) -> Iterator[str]:
    """A fenced block, whose fence is longer than any run of backquotes in the text."""
    longest = max((len(found) for found in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}{language if language.isalnum() else ''}"
    yield _UNSEEN.sub("\ufffd", text)
    yield fence


def _code(text: str) -> str:
    """Text as inline code."""
    shown = _UNSEEN.sub("\ufffd", " ".join(text.split()))
    longest = max((len(found) for found in _TICKS.findall(shown)), default=0)
    ticks = "`" * (longest + 1)
    blank = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{blank}{shown}{blank}{ticks}"


def _plain(text: str) -> str:
    """Text in a line with Markdown characters escaped."""
    return _SPECIAL.sub(r"\\\1", _UNSEEN.sub("\ufffd", " ".join(text.split())))


def _reason(text: str) -> str:
    """Text in a line with names as code, so that they need no escapes."""
    return " ".join(
        (_code(word.rstrip(",;")) + word[len(word.rstrip(",;")) :])
        if _NAME.fullmatch(word)
        else _plain(word)
        for word in text.split()
    )


def record_of_bundle(bundle: Bundle) -> dict[str, Any]:
    """All that is known of a bundle: what is kept of the last one."""
    return {
        "prompt": clean_prompt(bundle.request.prompt),
        **bundle.as_record(),
        "warnings": list(bundle.warnings),
    }


def keep_last_bundle(data_dir: str, bundle: Bundle) -> str:
    """Replaces both files, each atomically; returns a warning if that fails, else an empty text."""
    record = record_of_bundle(bundle)
    text = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
    page = render_page(bundle, record["prompt"])
    try:
        write_last_bundle(
            data_dir,
            text.encode("utf-8", "backslashreplace"),
            page.encode("utf-8", "backslashreplace"),
        )
    except OSError as error:
        return Notice(NoticeCode.NOT_KEPT, detail=error.strerror or str(error)).text
    return ""


def write_last_bundle(data_dir: str, data: bytes, page: bytes) -> None:
    """Replace the files, each atomically; may raise `OSError`."""
    files = {DATA: data, PAGE: page}
    side_files.prepare(data_dir)
    for name, content in files.items():
        side_files.put(data_dir, name, content)
    side_files.put_tagged(data_dir, _ORIGIN, _digests(files))


def read_last_bundle(data_dir: str) -> dict[str, bytes]:
    """Both files by name, if they were written here together; else raises `OSError`."""
    files = {name: side_files.get(data_dir, name, _MAX_BYTES) for name in (DATA, PAGE)}
    if side_files.get_tagged(data_dir, _ORIGIN, _MAX_BYTES) != _digests(files):
        message = "the last bundle was not written here"
        raise OSError(message)
    return files


def _digests(files: Mapping[str, bytes]) -> bytes:
    return "".join(f"{side_files.digest_of(data)}\n" for data in files.values()).encode()
