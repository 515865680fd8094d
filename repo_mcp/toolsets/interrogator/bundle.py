"""`repo.build_context_bundle`: a bundler's choice as an answer, and kept for people to see."""

from __future__ import annotations

from typing import Final

from repo_mcp.budget import Budget
from repo_mcp.bundle import (
    DEFAULT_MAX_FILES,
    DEFAULT_MAX_TOTAL_LINES,
    LEAST_BYTES,
    NO_ROOM,
    Bundle,
    Bundler,
    BundleRequest,
    LocalBundler,
    keep_last_bundle,
)
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import OpenIndex
from repo_mcp.toolsets.interrogator.results import BundleResult
from repo_mcp.toolsets.kit.answers import Outcome
from repo_mcp.toolsets.kit.index_warnings import COMPARING, lacking_text, progress_text
from repo_mcp.toolsets.kit.records import record_of
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

_SECONDS: Final = 20.0
# a bundle can't be made of files that are merely read, and one of a few files misleads: so long it
# waits for a first index
_PATIENCE: Final = 10.0
_MOST_LINES: Final = 5_000
# one answer takes the place of many here: as much as clients show of one without cutting it
_PAGE: Final = 11_800
# a bundle of fewer of the lines that were asked for was made small by the size of an answer
_FULL: Final = 0.8


class BuildContextBundle:
    """Has a bundle made."""

    def __init__(self, services: ToolServices, bundler: Bundler | None = None) -> None:
        """Take what it works with; another bundler answers in the same shape."""
        self._services = services
        self._bundler = bundler or LocalBundler(
            services.repository.sandbox, services.engine, services.repository.languages
        )

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The bundle, and what limits it."""
        limit = context.budget.within(_SECONDS)
        return self._services.repository.ask(
            lambda index: self._built(arguments, index, limit),
            self._services.patience,
            context.budget,
        )

    def _built(self, arguments: Arguments, index: OpenIndex, budget: Budget) -> Outcome:
        services = self._services
        repository, patience = services.repository, services.patience
        if not index.complete:
            index = repository.awaited(patience, budget.within(_PATIENCE))
        warnings = [*services.background_notes]
        request = self._request(arguments, warnings)

        def build(index: OpenIndex) -> Bundle:
            if index.snapshot is None:
                now = repository.progress
                raise Problem("index_missing", "" if now is None else progress_text(now))
            return self._bundler.build(index.snapshot, request, budget)

        bundle, index = repository.ask_current(build, _stale, index, patience, budget)
        warnings += (AnswerWarning("bundle", text) for text in bundle.warnings)
        if _is_small(bundle, request):
            most = self._services.limits.max_total_bytes_per_response
            text = f"an answer of this size has no room for more: max_chars={most} does"
            warnings.append(AnswerWarning("size", text))
        if not index.complete:
            known = 0 if index.snapshot is None else index.snapshot.file_count
            text = (
                f"{lacking_text(index, repository)}: {known} files were searched in it; ask again"
                " for a complete answer"
            )
            warnings.append(AnswerWarning("incomplete", text))
        elif not index.compared:
            warnings.append(COMPARING)
        failed = keep_last_bundle(self._services.repository.settings.data_dir, bundle)
        warnings += [AnswerWarning("not_kept", failed)] if failed else []
        result = record_of(BundleResult, bundle.as_result())
        return Outcome(result, warnings, shown=_cited(bundle))

    def _request(self, arguments: Arguments, warnings: list[AnswerWarning]) -> BundleRequest:
        services, wanted = self._services, arguments["budget"]
        most = services.limits.max_bundle_files
        files = wanted["max_files"] or min(DEFAULT_MAX_FILES, most)
        lines = wanted["max_total_lines"] or DEFAULT_MAX_TOTAL_LINES
        page = services.page(arguments["max_chars"], warnings, _PAGE)
        return BundleRequest(
            arguments["prompt"],
            max_files=services.at_most("max_files", files, most, warnings),
            max_total_lines=services.at_most("max_total_lines", lines, _MOST_LINES, warnings),
            max_tokens=wanted["max_tokens"] or 0,
            max_bytes=max(services.room(page, {}, warnings), LEAST_BYTES),
            include_tests=arguments["include_tests"],
        )


def _is_small(bundle: Bundle, request: BundleRequest) -> bool:
    """Whether the size of an answer kept out what the budget has room for."""
    kept_out = any(item.reason == NO_ROOM for item in bundle.audit.left_out)
    few = bundle.used.lines < _FULL * request.max_total_lines
    return kept_out and few and not request.max_tokens


def _stale(bundle: Bundle) -> set[str]:
    return {item.path for item in bundle.excerpts if item.stale}


def _cited(bundle: Bundle) -> list[str]:
    return [item.citation for item in bundle.excerpts]
