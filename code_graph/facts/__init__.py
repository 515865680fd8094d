"""Facts about a file, and their bytes in the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_graph.facts.columns import DeclarationColumns, Declarations, columns_of
from code_graph.facts.model import (
    ANONYMOUS,
    FAILED,
    FULL,
    INTERFACES,
    MODULE,
    NO_GRAMMAR,
    OVERLOAD,
    PARTIAL,
    SKIPPED,
    STOPPED,
    Declaration,
    DeclarationSpan,
    Facts,
    Import,
    Use,
    last_part,
    normalize_name,
)
from index_format.late_import import import_on_first_use

if TYPE_CHECKING:
    from code_graph.facts.model import depths, in_text_order, levels
    from code_graph.facts.wire import (
        VERSION,
        DamagedFactsError,
        DeclarationPlaces,
        as_stored,
        declarations_of,
        decode,
        decode_count,
        decode_declarations,
        decode_for_linking,
        decode_imports,
        decode_uses,
        encode,
    )

# imported on first use: parsing a file needs neither numpy nor the packing of records
_LATE: Final = {
    "model": "depths in_text_order levels",
    "wire": (
        "VERSION DamagedFactsError DeclarationPlaces as_stored declarations_of decode "
        "decode_count decode_declarations decode_for_linking decode_imports decode_uses "
        "encode"
    ),
}

__getattr__ = import_on_first_use(__name__, _LATE)
