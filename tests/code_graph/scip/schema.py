"""The messages of SCIP as protobuf's own implementation has them, as far as they are used here."""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_KINDS = {"string": 9, "int32": 5, "bool": 8, "enum": 5}
_OPTIONAL, _REPEATED = 1, 3
# name → fields as (name, number, type), a type with [] for repeated ones
_MESSAGES = {
    "ToolInfo": [("name", 1, "string"), ("version", 2, "string"), ("arguments", 3, "string[]")],
    "Metadata": [
        ("version", 1, "enum"),
        ("tool_info", 2, "ToolInfo"),
        ("project_root", 3, "string"),
        ("text_document_encoding", 4, "enum"),
    ],
    "Relationship": [
        ("symbol", 1, "string"),
        ("is_reference", 2, "bool"),
        ("is_implementation", 3, "bool"),
        ("is_type_definition", 4, "bool"),
        ("is_definition", 5, "bool"),
    ],
    "Diagnostic": [("severity", 1, "enum"), ("message", 3, "string")],
    "Occurrence": [
        ("range", 1, "int32[]"),
        ("symbol", 2, "string"),
        ("symbol_roles", 3, "int32"),
        ("override_documentation", 4, "string[]"),
        ("syntax_kind", 5, "enum"),
        ("diagnostics", 6, "Diagnostic[]"),
        ("enclosing_range", 7, "int32[]"),
    ],
    "SymbolInformation": [
        ("symbol", 1, "string"),
        ("documentation", 3, "string[]"),
        ("relationships", 4, "Relationship[]"),
        ("kind", 5, "enum"),
        ("display_name", 6, "string"),
        ("signature_documentation", 7, "Document"),
        ("enclosing_symbol", 8, "string"),
    ],
    "Document": [
        ("relative_path", 1, "string"),
        ("occurrences", 2, "Occurrence[]"),
        ("symbols", 3, "SymbolInformation[]"),
        ("language", 4, "string"),
        ("text", 5, "string"),
        ("position_encoding", 6, "enum"),
    ],
    "Index": [
        ("metadata", 1, "Metadata"),
        ("documents", 2, "Document[]"),
        ("external_symbols", 3, "SymbolInformation[]"),
    ],
}


def _classes() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(name="s.proto", package="s", syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field_name, number, kind in fields:
            label = _REPEATED if kind.endswith("[]") else _OPTIONAL
            plain = kind.removesuffix("[]")
            field = message.field.add(name=field_name, number=number, label=label)
            if plain in _KINDS:
                field.type = _KINDS[plain]
            else:
                field.type, field.type_name = 11, f".s.{plain}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found = {}
    for name in _MESSAGES:
        descriptor = pool.FindMessageTypeByName(f"s.{name}")
        found[name] = message_factory.GetMessageClass(descriptor)
    return found


_CLASSES = _classes()
Index: Any = _CLASSES["Index"]
Document: Any = _CLASSES["Document"]
Occurrence: Any = _CLASSES["Occurrence"]
SymbolInformation: Any = _CLASSES["SymbolInformation"]
