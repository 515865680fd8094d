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
    from repo_mcp.repository.root_keeper import REPLACED, RootKeeper
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
    "content_types": "Media binary_type media_of name_type text_type",
    "folder_outline": (
        "INNER_KINDS FileOutline FolderListing folder_of_path list_folder outline_file"
    ),
    "folders": "DIRECTORY FolderItem FolderView Folders collapse_path",
    "listing": (
        "FileList FileLister folder_counts fullest_folders has_match tiny_files with_folders"
    ),
    "name_lookup": "DeclaredSymbol declared_among declared_symbols",
    "named_files": "NamedFiles",
    "names_in_file": "NamePlace Names names_in",
    "nearest_symbols": "is_nowhere near_symbols",
    "open_index": (
        "COMMAND_WAIT RETRIEVAL_WAIT IndexGap OnDemandFiles OpenGraph OpenIndex WaitPolicy "
        "behind_name ranked_wait_policy tool_wait_policy"
    ),
    "opened_root": "OpenedRoot",
    "overview": "FolderOverview TreeEntry most_declaring overview_of",
    "pending_files": "PendingFiles scan_pending",
    "reading": "FileContent LineRange RangeFault RangeProblem read with_near_paths",
    "repository": "MANY_FILES Refresher Repository",
    "root_keeper": "REPLACED RootKeeper",
    "similar_symbols": "SimilarSearch SimilarSymbol SimilarSymbols",
    "source_files": "OutdatedFiles SourceFiles",
    "survey": (
        "LEFT_OUT Cell ChangedFile FileTotals Survey UnindexedEntry left_out_paths "
        "noted_left_out past_runs survey_files"
    ),
    "symbol_places": "SymbolPlace local_name",
    "word_lines": "NamedLines WordLine WordLines code_first lines_by_path lines_with_word",
}
__getattr__ = import_on_first_use(__name__, _LATE)
