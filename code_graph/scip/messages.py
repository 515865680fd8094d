"""The fields of SCIP's messages by number, and the values that are used here."""

from __future__ import annotations

from typing import Final

# Index
METADATA: Final = 1
DOCUMENTS: Final = 2
EXTERNAL_SYMBOLS: Final = 3
# Metadata
TOOL: Final = 2
PROJECT_ROOT: Final = 3
TEXT_ENCODING: Final = 4
# ToolInfo
TOOL_NAME: Final = 1
TOOL_VERSION: Final = 2
# Document
PATH: Final = 1
OCCURRENCES: Final = 2
SYMBOLS: Final = 3
LANGUAGE: Final = 4
TEXT: Final = 5
POSITIONS: Final = 6
# Occurrence
RANGE: Final = 1
SYMBOL: Final = 2
ROLES: Final = 3
ENCLOSING: Final = 7
# SymbolInformation
INFO_SYMBOL: Final = 1
DOCUMENTATION: Final = 3
RELATIONSHIPS: Final = 4
KIND: Final = 5
DISPLAY_NAME: Final = 6
SIGNATURE: Final = 7
ENCLOSING_SYMBOL: Final = 8
# Relationship
RELATED: Final = 1
IS_REFERENCE: Final = 2
IS_IMPLEMENTATION: Final = 3

# TextEncoding
UTF8: Final = 1
# a PositionEncoding with columns in characters
CHARACTERS: Final = 3
# … and one with columns in bytes
UTF8_UNITS: Final = 1

# SymbolRole
DEFINITION: Final = 1
IMPORT: Final = 2
READ: Final = 8

# SymbolInformation.Kind by the kinds of declarations
KINDS: Final = {
    "accessor": 72,
    "actor": 7,
    "annotation": 21,
    "case": 12,
    "class": 7,
    "constant": 8,
    "constructor": 9,
    "delegate": 73,
    "destructor": 26,
    "enum": 11,
    "enumerator": 12,
    "event": 13,
    "field": 15,
    "function": 17,
    "getter": 18,
    "indexer": 47,
    "interface": 21,
    "macro": 25,
    "method": 26,
    "module": 29,
    "namespace": 30,
    "object": 33,
    "operator": 34,
    "package": 35,
    "property": 41,
    "protocol": 42,
    "prototype": 17,
    "record": 7,
    "setter": 45,
    "struct": 49,
    "trait": 53,
    "type": 54,
    "typedef": 55,
    "union": 59,
    "variable": 61,
}
FILE_KIND: Final = 16
