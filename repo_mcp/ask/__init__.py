"""The questions that every face answers alike: a symbol, its uses and tests, and a tour.

The door of the room: other rooms import from here, and never from the modules inside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index_format.late_import import import_on_first_use

if TYPE_CHECKING:  # no process needs all of them
    from repo_mcp.ask.call_tree import CallTree
    from repo_mcp.ask.complete_uses import Doubt, KnownUses, UseFinder
    from repo_mcp.ask.group_uses import GroupUses, find_group_uses
    from repo_mcp.ask.order_of_tests import TestFileRank, bare_stem
    from repo_mcp.ask.outline_filter import (
        OutlineFilter,
        kind_counts,
        qualified_names,
        reliable_declarations,
    )
    from repo_mcp.ask.reaching_tests import (
        BY_EDGES,
        BY_IMPORT,
        BY_NAME,
        DIRECT,
        DISPATCHED,
        INCIDENTAL,
        MOCKED,
        NEAR,
        UNSEEN,
        LinesNaming,
        TestSearch,
        has_tests,
        is_run_as_test,
    )
    from repo_mcp.ask.relations import (
        BASES,
        CALLEES,
        CALLEES_OF_WHOLE,
        CALLERS,
        DEPENDENCIES,
        DEPENDENCIES_OF_WHOLE,
        DEPENDENTS,
        DEPENDENTS_OF_WHOLE,
        IMPLEMENTATIONS,
        MEMBERS,
        MOST_PLACES,
        REFERENCES,
        EdgeGroup,
        EdgeRelation,
        RelatedUses,
        find_related,
        find_subtypes,
        group_edges,
        group_reached,
        known_uses,
        source_named,
        target_named,
    )
    from repo_mcp.ask.riders import Rider, declared_around, find_riders
    from repo_mcp.ask.setting_names import names_of_setting, pattern_of
    from repo_mcp.ask.setting_summary import prefer_setting
    from repo_mcp.ask.siblings import (
        MOST_COMPARED,
        LinesByPath,
        SiblingKind,
        SiblingPlace,
        SiblingPlaces,
        any_spelling,
        compare_places,
        find_kind,
        most_alike,
        tell_apart,
    )
    from repo_mcp.ask.summary_answer import name_external, symbol_answer
    from repo_mcp.ask.symbol_summary import (
        SymbolRelations,
        SymbolSummary,
        summarize_declared,
        summarize_symbol,
    )
    from repo_mcp.ask.tour import take_tour
    from repo_mcp.ask.unused import UNUSED_TYPES, is_unused, looks_used, unused_symbols
    from repo_mcp.ask.uses import UseList, find_uses

_LATE: Final = {
    "call_tree": "CallTree",
    "complete_uses": "Doubt KnownUses UseFinder",
    "group_uses": "GroupUses find_group_uses",
    "order_of_tests": "TestFileRank bare_stem",
    "outline_filter": "OutlineFilter kind_counts qualified_names reliable_declarations",
    "reaching_tests": (
        "BY_EDGES BY_IMPORT BY_NAME DIRECT DISPATCHED INCIDENTAL MOCKED NEAR UNSEEN "
        "LinesNaming TestSearch has_tests is_run_as_test"
    ),
    "relations": (
        "BASES CALLEES CALLEES_OF_WHOLE CALLERS DEPENDENCIES DEPENDENCIES_OF_WHOLE DEPENDENTS "
        "DEPENDENTS_OF_WHOLE IMPLEMENTATIONS MEMBERS MOST_PLACES REFERENCES EdgeGroup "
        "EdgeRelation RelatedUses find_related find_subtypes group_edges group_reached "
        "known_uses source_named target_named"
    ),
    "riders": "Rider declared_around find_riders",
    "setting_names": "names_of_setting pattern_of",
    "setting_summary": "prefer_setting",
    "siblings": (
        "MOST_COMPARED LinesByPath SiblingKind SiblingPlace SiblingPlaces any_spelling "
        "compare_places find_kind most_alike tell_apart"
    ),
    "summary_answer": "name_external symbol_answer",
    "symbol_summary": "SymbolRelations SymbolSummary summarize_declared summarize_symbol",
    "tour": "take_tour",
    "unused": "UNUSED_TYPES is_unused looks_used unused_symbols",
    "uses": "UseList find_uses",
}
__getattr__ = import_on_first_use(__name__, _LATE)
