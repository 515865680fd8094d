"""Leads links that leave `docs/` to the repository, once it is checked that their files exist."""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path
from typing import Any, Final

_LINK: Final = re.compile(r"(?<=\]\()(?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?(?=\))")
_FENCE: Final = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_LOG: Final = logging.getLogger("mkdocs.hooks.links")


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: object) -> str:  # noqa: ANN401 the site generator's own types
    """A page whose links work in the site; a link to nothing is a warning, and fails the build."""
    docs = Path(config["docs_dir"])
    folder = docs / Path(page.file.src_uri).parent
    parts = _FENCE.split(markdown)
    parts[::2] = [
        _LINK.sub(lambda found: _target(found, folder, docs, config["repo_url"]), part)
        for part in parts[::2]
    ]
    return "".join(parts)


def _target(found: re.Match[str], folder: Path, docs: Path, repository: str) -> str:
    address, anchor = found[1], found[2] or ""
    path = Path(os.path.normpath(folder / address))
    if not path.exists():
        _LOG.warning("%s: no such file: %s", folder.name, address)
    if path.is_relative_to(docs) and path.suffix != ".py" and path.is_file():
        return f"{address}{anchor}"
    kind = "tree" if path.is_dir() else "blob"
    return f"{repository}/{kind}/main/{path.relative_to(docs.parent).as_posix()}{anchor}"
