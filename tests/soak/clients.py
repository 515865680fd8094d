"""Calls of all tools, with arguments by chance."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from tests.soak.answers import absent_files, error_code, shown_though_gone
from tests.soak.servers import ToolServer
from tests.soak.verdict import EXPECTED_ERRORS

WORDS: Final = ("import", "parser", "open file", "class", "self", "thread lock", "edit", "word7")
PATTERNS: Final = (r"def \w+_file", r"raise \w+Error", r"edit\d+", "x?")
PROMPTS: Final = ("how are arguments parsed?", "fix the lock in the thread pool", "read a header")
_QUESTIONS: Final = ("what calls open?", "what depends on parser?", "how are threads locked?")
# what a call ends with when its server was ended, or the call cancelled, on purpose
ENDED: Final = "server_ended"
CANCELLED: Final = "cancelled"
_CANCELLED_SHARE: Final = 0.05
_TASK_SHARE: Final = 0.05

Arguments = dict[str, Any]


class SoakClient:
    """Makes one call after the other."""

    def __init__(
        self,
        root: Path,
        docs: str,
        names: list[str],
        symbols: deque[tuple[str, str]],
        chance: random.Random,
    ) -> None:
        """Take the files that calls name, of which some are in the folder `docs`.

        `symbols` are ids of symbols that were seen, with their qualified names, of all clients.
        """
        self._root = root
        self._docs = docs
        self._names = names
        self._chance = chance
        self._symbols = symbols
        node: tuple[int, Callable[[], Arguments]] = (2, self._node)
        # each tool with its weight
        self.tools: dict[str, tuple[int, Callable[[], Arguments]]] = {
            "repo.ask": (4, self._ask),
            "repo.search": (30, self._search),
            "repo.open_file": (12, self._path),
            "repo.outline": (10, self._path),
            "repo.symbol": (6, lambda: {"name": chance.choice(self._symbols)[1]}),
            "repo.list_files": (4, dict),
            "repo.changes": (2, dict),
            "repo.history": (3, lambda: {"words": chance.choice(PROMPTS)}),
            "repo.build_context_bundle": (4, lambda: {"prompt": chance.choice(PROMPTS)}),
            "repo.status": (3, dict),
            "repo.refresh_index": (4, lambda: {"force": chance.random() < 0.1}),
            "repo.audit_log": (1, dict),
            "list_directory": (2, dict),
            "read_file": (3, self._path),
            "get_directory_tree": (1, dict),
            "index_files": (2, lambda: {"paths": chance.sample(names, min(3, len(names)))}),
            "get_status": (1, dict),
            "search_symbols": (8, self._query),
            "lookup_symbol": (2, lambda: {"qualified_name": chance.choice(self._symbols)[1]}),
            "get_file_outline": (4, self._path),
            "get_symbol": node,
            "get_source_spans": node,
            "find_similar": node,
            "get_implementations": node,
            "get_references": node,
            "get_dependencies": node,
            "get_dependents": node,
            "get_impact": node,
            "get_path": (2, self._path_between),
            "get_callers": (3, lambda: {**self._node(), "include_possible": True}),
            "get_callees": (3, lambda: {**self._node(), "include_external": True}),
            "search": (4, self._query),
            "open_file": (3, self._file),
            "get_snippet": (3, lambda: {**self._file(), "start_line": 1, "end_line": 9}),
            "list_dir": (1, lambda: {"repo": chance.choice(("docs", "code"))}),
            "index_codebase": (1, lambda: {"path": str(root)}),
            "search_code": (6, lambda: {**self._query(), "synthesize": chance.random() < 0.2}),
            "search_docs": (2, self._query),
            "code_research": (2, lambda: {"query": chance.choice(_QUESTIONS)}),
        }

    def step(self, server: ToolServer, tool: str | None = None) -> str:
        """Call this tool, or any, maybe as a task; returns the code of the error, or nothing."""
        weights = [weight for weight, _ in self.tools.values()]
        chosen = tool or self._chance.choices(list(self.tools), weights)[0]
        arguments = self.tools[chosen][1]()
        if tool is None and self._chance.random() < _CANCELLED_SHARE:
            server.call_and_leave(chosen, arguments)
            return CANCELLED
        absent = absent_files(self._root, self._names)
        as_task = self._chance.random() < _TASK_SHARE
        result = server.call(chosen, arguments, as_task=as_task)
        return ENDED if result is None else self._judge(server, chosen, result, absent)

    def _judge(
        self, server: ToolServer, tool: str, result: dict[str, Any], absent: dict[str, int]
    ) -> str:
        """The code of an error; what an answer of the graph must not show is a violation."""
        code = error_code(tool, result)
        data = result.get("structuredContent", {})
        if code not in EXPECTED_ERRORS:
            (content,) = result["content"]
            server.violations.append(f"{tool} failed with {code}: {content['text'][:300]}")
        if not code and "snapshot" in data:
            after = absent_files(self._root, self._names)
            for path in shown_though_gone(data, absent, after):
                server.violations.append(f"{tool} shows {path}, which is gone")
            found = [row for row in data.get("results", ()) if row.get("node_id")]
            self._symbols.extend((row["node_id"], row["qualified_name"]) for row in found)
        return code

    def _search(self) -> Arguments:
        mode = self._chance.choice(("", "literal", "regex"))
        words = PATTERNS if mode == "regex" else WORDS
        return {"query": self._chance.choice(words), **({"mode": mode} if mode else {})}

    def _query(self) -> Arguments:
        return {"query": self._chance.choice(WORDS)}

    def _path(self) -> Arguments:
        return {"path": self._chance.choice(self._names)}

    def _ask(self) -> Arguments:
        _, name = self._chance.choice(self._symbols)
        return {"names": [name], "more": [f"uses: {name}", self._chance.choice(PROMPTS)]}

    def _node(self) -> Arguments:
        return {"node_id": self._chance.choice(self._symbols)[0]}

    def _path_between(self) -> Arguments:
        source, target = (self._chance.choice(self._symbols)[0] for _ in range(2))
        return {"source": source, "target": target}

    def _file(self) -> Arguments:
        name = self._chance.choice(self._names)
        inside = name.removeprefix(f"{self._docs}/")
        return {"repo": "code" if inside == name else "docs", "path": inside}
