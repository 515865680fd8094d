"""One open repository: its current index snapshot, waiting for the index, reading, listing.

The door of the room: other rooms import from here, and never from the modules inside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index_format.late_import import import_on_first_use

if TYPE_CHECKING:  # no process needs all of them
    from repo_mcp.repository.content_types import Media, binary_type, media_of, name_type, text_type
    from repo_mcp.repository.folder_outline import (
        INNER_KINDS,
        FileOutline,
        FolderListing,
        folder_of_path,
        list_folder,
        outline_file,
    )
    from repo_mcp.repository.folders import (
        DIRECTORY,
        FolderItem,
        Folders,
        FolderView,
        collapse_path,
    )
    from repo_mcp.repository.listing import (
        FileList,
        FileLister,
        folder_counts,
        fullest_folders,
        has_match,
        tiny_files,
        with_folders,
    )
    from repo_mcp.repository.name_lookup import (
        DeclaredSymbol,
        declared_among,
        declared_symbols,
    )
    from repo_mcp.repository.named_files import NamedFiles
    from repo_mcp.repository.names_in_file import NamePlace, Names, names_in
    from repo_mcp.repository.nearest_symbols import is_nowhere, near_symbols
    from repo_mcp.repository.open_index import (
        COMMAND_WAIT,
        RETRIEVAL_WAIT,
        IndexGap,
        OnDemandFiles,
        OpenGraph,
        OpenIndex,
        WaitPolicy,
        behind_name,
        ranked_wait_policy,
        tool_wait_policy,
    )
    from repo_mcp.repository.opened_root import OpenedRoot
    from repo_mcp.repository.overview import (
        FolderOverview,
        TreeEntry,
        most_declaring,
        overview_of,
    )
    from repo_mcp.repository.pending_files import PendingFiles, scan_pending
    from repo_mcp.repository.reading import (
        FileContent,
        LineRange,
        RangeFault,
        RangeProblem,
        read,
        with_near_paths,
    )
    from repo_mcp.repository.repository import MANY_FILES, Refresher, Repository
    from repo_mcp.repository.root_keeper import RootKeeper
    from repo_mcp.repository.similar_symbols import SimilarSearch, SimilarSymbol, SimilarSymbols
    from repo_mcp.repository.source_files import OutdatedFiles, SourceFiles
    from repo_mcp.repository.survey import (
        LEFT_OUT,
        Cell,
        ChangedFile,
        FileTotals,
        Survey,
        UnindexedEntry,
        left_out_paths,
        noted_left_out,
        past_runs,
        survey_files,
    )
    from repo_mcp.repository.symbol_places import SymbolPlace, local_name
    from repo_mcp.repository.word_lines import (
        NamedLines,
        WordLine,
        WordLines,
        code_first,
        lines_by_path,
        lines_with_word,
    )

_LATE: Final = {
    **dict.fromkeys(("MANY_FILES", "Refresher", "Repository"), "repository"),
    **dict.fromkeys(
        (
            *("COMMAND_WAIT", "RETRIEVAL_WAIT", "IndexGap", "OnDemandFiles", "OpenGraph"),
            *("OpenIndex", "WaitPolicy", "behind_name", "ranked_wait_policy", "tool_wait_policy"),
        ),
        "open_index",
    ),
    **dict.fromkeys(("NamePlace", "Names", "names_in"), "names_in_file"),
    "NamedFiles": "named_files",
    **dict.fromkeys(("PendingFiles", "scan_pending"), "pending_files"),
    **dict.fromkeys(("FolderOverview", "TreeEntry", "most_declaring", "overview_of"), "overview"),
    **dict.fromkeys(
        ("Media", "binary_type", "media_of", "name_type", "text_type"), "content_types"
    ),
    **dict.fromkeys(
        ("DIRECTORY", "FolderItem", "Folders", "FolderView", "collapse_path"), "folders"
    ),
    **dict.fromkeys(
        (
            *("INNER_KINDS", "FileOutline", "FolderListing"),
            *("folder_of_path", "list_folder", "outline_file"),
        ),
        "folder_outline",
    ),
    **dict.fromkeys(
        (
            *("FileList", "FileLister", "folder_counts", "fullest_folders", "has_match"),
            *("with_folders", "tiny_files"),
        ),
        "listing",
    ),
    **dict.fromkeys(
        ("FileContent", "LineRange", "RangeFault", "RangeProblem", "read", "with_near_paths"),
        "reading",
    ),
    **dict.fromkeys(("is_nowhere", "near_symbols"), "nearest_symbols"),
    "OpenedRoot": "opened_root",
    "RootKeeper": "root_keeper",
    **dict.fromkeys(
        ("NamedLines", "WordLine", "WordLines", "code_first", "lines_by_path", "lines_with_word"),
        "word_lines",
    ),
    **dict.fromkeys(("SimilarSearch", "SimilarSymbol", "SimilarSymbols"), "similar_symbols"),
    **dict.fromkeys(
        (
            "LEFT_OUT",
            "Cell",
            "ChangedFile",
            "UnindexedEntry",
            "FileTotals",
            "Survey",
            "left_out_paths",
            "noted_left_out",
        ),
        "survey",
    ),
    **dict.fromkeys(("past_runs", "survey_files"), "survey"),
    **dict.fromkeys(("OutdatedFiles", "SourceFiles"), "source_files"),
    **dict.fromkeys(("SymbolPlace", "local_name"), "symbol_places"),
    **dict.fromkeys(("DeclaredSymbol", "declared_among", "declared_symbols"), "name_lookup"),
}
__getattr__ = import_on_first_use(__name__, _LATE)
