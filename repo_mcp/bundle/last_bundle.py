"""The last bundle, kept in the data folder for people to look at: as data and as a page."""

from __future__ import annotations

import json
from typing import Final

from repo_mcp import side_files
from repo_mcp.bundle.model import Bundle
from repo_mcp.bundle.page import page
from repo_mcp.bundle.prompt.prompt import clean
from repo_mcp.bundle.reasons import Notice, NoticeCode

DATA: Final = "last_bundle.json"
PAGE: Final = "last_bundle.md"


def keep(data_dir: str, bundle: Bundle) -> str:
    """Replace both files, each whole; gives why that was not possible, empty when it was."""
    prompt = clean(bundle.request.prompt)
    facts = {
        "prompt": prompt,
        **bundle.as_result(),
        "audit": bundle.audit.as_result(),
        "warnings": list(bundle.warnings),
    }
    text = json.dumps(facts, ensure_ascii=False, indent=2) + "\n"
    try:
        side_files.prepare(data_dir)
        side_files.put(data_dir, DATA, text.encode("utf-8", "backslashreplace"))
        side_files.put(data_dir, PAGE, page(bundle, prompt).encode("utf-8", "backslashreplace"))
    except OSError as error:
        return Notice(NoticeCode.NOT_KEPT, detail=error.strerror or str(error)).text
    return ""
