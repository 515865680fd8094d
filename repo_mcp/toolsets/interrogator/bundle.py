"""`repo.build_context_bundle`: returns a bundle, and keeps it as a resource."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from index_format.records import replace
from repo_mcp.answers.lines import REGIONS
from repo_mcp.answers.records import AnswerRecord, record_of
from repo_mcp.answers.repository import BundleResult
from repo_mcp.budget import Budget
from repo_mcp.bundle import (
    DEFAULT_MAX_FILES,
    DEFAULT_MAX_TOTAL_LINES,
    GRAPH_DAMAGED,
    LEAST_BYTES,
    MOST_CHARACTERS,
    NO_ROOM,
    Bundle,
    Bundler,
    BundleRequest,
    LocalBundler,
    Ranker,
    RegionBundler,
    keep_last_bundle,
    record_of_bundle,
)
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.repository import IndexGap, OpenIndex, ranked_wait_policy
from repo_mcp.toolsets.kit.answers import Outcome, size
from repo_mcp.toolsets.kit.index_warnings import (
    COMPARING,
    behind_text,
    building_detail,
    lacking_warning,
    rest_text,
)
from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices

# for a bundle, once the index is whole
_SECONDS: Final = 20.0
_MOST_LINES: Final = 5_000
# parts of an index that a build adds
_FILLED_SOON: Final = frozenset({IndexGap.FILES, IndexGap.DECLARATIONS})
# the default page, larger than that of other tools: the most that clients show without cutting;
# a larger budget of lines gets a larger page
_PAGE: Final = 11_800
# with references, excerpts take so many times the room of these
_EXCERPTS_SHARE: Final = 4
# characters around an answer, and around each of its warnings
_ID: Final = 30
_WARNING: Final = 10
# below this share of the requested lines, the page size is reported as the limit
_FULL: Final = 0.8


class BuildContextBundle:
    """Builds a context bundle."""

    def __init__(self, services: ToolServices, bundler: Bundler | None = None) -> None:
        """Use the local bundler unless another one is given."""
        self._services = services
        ranker = Ranker(services.engine, lambda: services.past_changes)
        where = services.repository.sandbox, services.repository.languages
        self._bundler = bundler or LocalBundler(*where, ranker)
        self._regions = RegionBundler(*where, ranker)

    def __call__(self, arguments: Arguments, context: Context) -> Outcome:
        """The bundle, with warnings about its limits."""
        budget = context.budget
        # a client waits as long for a refresh
        patience = budget.within(self._services.repository.settings.refresh_seconds - _SECONDS)
        return self._services.repository.run_query(
            lambda index: self._build(arguments, self._whole(index, patience), budget),
            ranked_wait_policy(self._services.wait),
            budget,
        )

    def _whole(self, index: OpenIndex, patience: Budget) -> OpenIndex:
        """The index with all files and their declarations, if they are there within the patience.

        Files that match best may be among those that are not read yet, and without declarations
        everyday words decide.
        """
        services = self._services
        if index.gap not in _FILLED_SOON or index.snapshot is None:
            return index
        wait = replace(services.wait, first=patience.seconds_left or 0.0)
        return services.repository.follow_files(index, wait, patience)

    def _build(self, arguments: Arguments, index: OpenIndex, whole: Budget) -> Outcome:
        services = self._services
        repository, wait = services.repository, services.wait
        budget = whole.within(_SECONDS)
        warnings = [*services.background_notes]
        request = self._request(arguments, warnings)
        if index.gap in _FILLED_SOON and index.snapshot is not None:
            if request.places_alone:
                raise Problem("index_behind", behind_text(index, repository))
            request = replace(request, named_alone=True)

        def build(index: OpenIndex) -> Bundle:
            return self._bundle(index, request, warnings, budget)

        bundle, index = repository.run_fresh_query(build, _stale_paths, index, wait, budget)
        if request.named_alone and not bundle.excerpts:
            raise Problem("index_behind", behind_text(index, repository))
        warnings += index.warnings
        warnings += (item.warning for item in bundle.notices)
        if _is_small(bundle, request):
            most = self._services.limits.max_total_bytes_per_response
            text = f"limited by the size of the answer: pass max_chars={most} for more"
            warnings.append(AnswerWarning("size", text))
        if not index.complete:
            known = 0 if index.snapshot is None else index.snapshot.file_count
            searched = f": {known} indexed files were searched"
            warnings.append(lacking_warning(index, repository, searched))
        elif index.gap is not None:
            warnings.append(lacking_warning(index, repository))
        elif not index.compared:
            warnings.append(COMPARING)
        result = _result_of(bundle)
        if arguments["with_record"]:
            result.record = record_of_bundle(bundle)
        else:
            failed = keep_last_bundle(self._services.repository.data_dir, bundle)
            warnings += [AnswerWarning("not_kept", failed)] if failed else []
        if request.places_alone:
            _shorten(result, warnings)
        elif arguments["with_references"]:
            warnings += self._add_references(bundle, result)
        return Outcome(
            result,
            warnings,
            shown=_citations(bundle),
            counts=_counts(bundle),
            generation=index.generation,
        )

    def _bundle(
        self,
        index: OpenIndex,
        request: BundleRequest,
        warnings: list[AnswerWarning],
        budget: Budget,
    ) -> Bundle:
        repository = self._services.repository
        if index.snapshot is None:
            raise Problem("index_missing", building_detail(repository))
        if request.places_alone:
            return self._regions.build(index.snapshot, request, budget)
        if request.named_alone:
            return self._bundler.build(index.snapshot, request, budget)
        opened = repository.follow_graph(self._services.wait, budget)
        if opened.graph is None and opened.linked is not None:
            text = "the symbol graph is being linked: what uses what in a file is guessed by names"
            warnings.append(AnswerWarning("linking", f"{text}; {rest_text(opened.linked)}"))
        bundle = self._bundler.build(index.snapshot, request, budget, opened.graph)
        if any(notice.code is GRAPH_DAMAGED for notice in bundle.notices):
            repository.relink_damaged_graph()
        return bundle

    def _add_references(self, bundle: Bundle, result: BundleResult) -> list[AnswerWarning]:
        """Add who uses what is shown, as far as the part of the page kept for it lasts."""
        from repo_mcp.toolsets.interrogator.references import FileReferences  # noqa: PLC0415 rarely used

        repository = self._services.repository
        opened = repository.current_graph()
        missing: dict[AnswerWarning, None] = {}
        room = bundle.request.max_bytes // _EXCERPTS_SHARE
        for excerpt, shown in zip(bundle.file_excerpts(), result.excerpts, strict=False):
            known = FileReferences(
                repository, opened, excerpt.path, bytes.fromhex(excerpt.fingerprint)
            )
            if known.warning is not None:
                missing[known.warning] = None
            for name, found in known.in_lines(excerpt.ranges):
                callers = f": {'; '.join(found.callers)}" if found.callers else ""
                line = f"{name} has {found.uses} references{callers}"
                room -= size(line)
                if room < 0:
                    break
                shown.references = [*shown.references, line]
        return [*missing]

    def _request(self, arguments: Arguments, warnings: list[AnswerWarning]) -> BundleRequest:
        services, limits = self._services, arguments["budget"]
        most = services.limits.max_bundle_files
        # a larger answer has room for more
        larger = max(_PAGE, arguments["max_chars"] or 0)
        files = limits["max_files"] or min(DEFAULT_MAX_FILES * larger // _PAGE, most)
        lines = limits["max_total_lines"] or DEFAULT_MAX_TOTAL_LINES * larger // _PAGE
        usual = max(_PAGE, _PAGE * lines // DEFAULT_MAX_TOTAL_LINES)
        page = services.page_size(arguments["max_chars"], warnings, usual)
        room = services.room(page, AnswerRecord(), warnings)
        if arguments["with_references"]:
            room = room * _EXCERPTS_SHARE // (_EXCERPTS_SHARE + 1)
        return BundleRequest(
            arguments["prompt"],
            max_files=services.clamp("max_files", files, most, warnings),
            max_total_lines=services.clamp("max_total_lines", lines, _MOST_LINES, warnings),
            max_tokens=limits["max_tokens"] or 0,
            max_bytes=max(room, LEAST_BYTES),
            include_tests=arguments["include_tests"],
            audit=arguments["audit"],
            places_alone=arguments["strategy"] == REGIONS,
        )


def _result_of(bundle: Bundle) -> BundleResult:
    facts = bundle.as_result()
    if bundle.request.places_alone:
        places: BundleResult = record_of(BundleResult, facts)
        return places
    audit = facts["audit"]
    names = ("complete", "ties", "left_out_count")
    facts["audit"] = {name: audit[name] for name in names}
    if "bundler" in audit:
        facts["audit"]["details"] = [*_details(audit)]
    result: BundleResult = record_of(BundleResult, facts)
    return result


def _shorten(result: BundleResult, warnings: Sequence[AnswerWarning]) -> None:
    """Leave the last places out until the text with the warnings is short."""
    around = _ID + sum(_WARNING + len(item.text) for item in warnings)
    while len(result.excerpts) > 1:
        if around + sum(len(line) + 1 for line in result.as_text()) <= MOST_CHARACTERS:
            break
        result.excerpts = result.excerpts[:-1]


def _details(audit: Mapping[str, Any]) -> Iterator[str]:
    yield f"made by {audit['bundler']}"
    for item in audit["keywords"]:
        line = f" line {item['line']}" if item["line"] else ""
        yield f"keyword {item['text']}{line} ({item['kind']} {item['weight']})"
    for item in audit["searches"]:
        yield f"search {item['kind']} {item['query']} ({item['hits']})"
    yield f"considered {audit['considered']}"
    for item in audit["left_out"]:
        within = f" in {item['symbol']}" if item["symbol"] else ""
        place = f"{item['path']}:{item['start_line']}-{item['end_line']}"
        yield f"left out {place}{within}: {item['reason']}"
    yield f"tokens: {audit['token_estimate']}"


def _is_small(bundle: Bundle, request: BundleRequest) -> bool:
    """True if the page size, not the budget, limited the bundle."""
    has_omissions = any(item.reason == NO_ROOM for item in bundle.audit.left_out)
    few = bundle.used.lines < _FULL * request.max_total_lines
    return has_omissions and few and not request.max_tokens


def _stale_paths(bundle: Bundle) -> set[str]:
    return {item.path for item in bundle.excerpts if item.stale}


def _citations(bundle: Bundle) -> list[str]:
    shown = [item.citation for item in bundle.file_excerpts()]
    return [*shown, *(item.citation for item in bundle.places)]


def _counts(bundle: Bundle) -> dict[str, int]:
    """Counts of how the bundle was made, for the log; its details are in the kept bundle."""
    audit = bundle.audit
    return {
        "lines": bundle.used.lines,
        "keywords": len(audit.keywords),
        "searches": len(audit.searches),
        "considered": audit.considered,
        "left_out": audit.left_out_count,
    }
