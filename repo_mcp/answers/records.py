"""Result types: one class is the schema, the data and the text of a tool's result.

A field is declared by its type and by `string`, `integer` and so on with a description. A field
with a default is left out of the data where it has that value.
Checkers see a dataclass; at run time a class is a plain namespace: declaring one takes
microseconds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache

from index_format.annotations import TYPE_CHECKING, Any, Final, dataclass_transform
from index_format.tuples import NamedTuple
from repo_mcp.answers.lines import NumberedLines

if TYPE_CHECKING:
    from repo_mcp.errors import Problem
    from repo_mcp.model import AnswerWarning

Schema = dict[str, Any]
_REQUIRED: Final = object()
# defaults that stand for nothing
_EMPTY: Final = ((), "", 0, False)
# most values, and plain already
_ATOMS: Final = frozenset({str, int, float, bool, type(None)})


class _Field:
    """A field's schema; read from a record that lacks the field, it gives the default."""

    __slots__ = ("default", "item", "schema")

    def __init__(
        self, schema: Schema, default: object = _REQUIRED, item: type[AnswerRecord] | None = None
    ) -> None:
        said = {} if default is _REQUIRED or not default else {"default": default}
        self.schema = {**schema, **said}
        self.default = default
        self.item = item

    def __get__(self, record: AnswerRecord | None, _: type[AnswerRecord]) -> object:
        return self if record is None else self.default


def string(description: str, *, default: str | object = _REQUIRED) -> Any:  # noqa: ANN401 it stands for the field's type
    """A string; one with a default may be left out."""
    return _Field({"type": "string", "description": description}, default)


def integer(description: str, *, default: int | object = _REQUIRED) -> Any:  # noqa: ANN401 as above
    """A whole number; one with a default may be left out."""
    return _Field({"type": "integer", "description": description}, default)


def number(description: str, *, default: float | object = _REQUIRED) -> Any:  # noqa: ANN401 as above
    """A number; one with a default may be left out."""
    return _Field({"type": "number", "description": description}, default)


def boolean(description: str, *, default: bool | object = _REQUIRED) -> Any:  # noqa: ANN401 as above
    """A truth value; one with a default may be left out."""
    return _Field({"type": "boolean", "description": description}, default)


def strings(description: str, *, default: object = _REQUIRED) -> Any:  # noqa: ANN401 as above
    """A list of strings; one with a default may be left out."""
    items = {"type": "string"}
    return _Field({"type": "array", "items": items, "description": description}, default)


def lines(description: str, *, default: object = _REQUIRED) -> Any:  # noqa: ANN401 as above
    """Numbered lines, which are text in JSON; a field with a default may be left out."""
    return _Field({"type": "string", "description": description}, default)


def list_of(item: type[AnswerRecord], description: str, *, default: object = _REQUIRED) -> Any:  # noqa: ANN401 as above
    """A list of records; one with a default may be left out."""
    schema = {"type": "array", "items": object_schema(item), "description": description}
    return _Field(schema, default, item)


def objects(description: str, *, default: object = _REQUIRED) -> Any:  # noqa: ANN401 as above
    """A list of objects without a schema, for records that hold their own kind."""
    items = {"type": "object"}
    return _Field({"type": "array", "items": items, "description": description}, default)


def mapping(description: str, *, default: object = _REQUIRED) -> Any:  # noqa: ANN401 as above
    """An object whose names are not known beforehand; one with a default may be left out."""
    return _Field({"type": "object", "description": description}, default)


def nested(item: type[AnswerRecord], description: str, *, default: object = _REQUIRED) -> Any:  # noqa: ANN401 as above
    """A nested record; one with a default may be left out."""
    return _Field({**object_schema(item), "description": description}, default, item)


@dataclass_transform(
    kw_only_default=True,
    field_specifiers=(
        string,
        integer,
        number,
        boolean,
        strings,
        lines,
        list_of,
        objects,
        mapping,
        nested,
    ),
)
class AnswerRecord:
    """Fields by name, in the order given."""

    def __init__(self, **fields: Any) -> None:  # noqa: ANN401 checkers see the fields of each class
        self.__dict__.update(fields)

    def as_text(self) -> Iterator[str]:
        """The record as text with every fact; by default one line per field."""
        for name, value in plain(self).items():
            if isinstance(value, Mapping):
                yield f"{name}: " + ", ".join(f"{key} {item}" for key, item in value.items())
            elif isinstance(value, list):
                yield f"{name}: {', '.join(map(str, value)) or 'none'}"
            else:
                yield f"{name}: {value}"

    def lines_alone(self) -> Iterator[str]:
        """The text without what a verdict says."""
        return self.as_text()


def properties_of(record: type[AnswerRecord]) -> Schema:
    """The properties of a record's schema, in the order of their declaration."""
    return {name: field.schema for name, field in _fields(record)}


def object_schema(record: type[AnswerRecord]) -> Schema:
    """The schema of a record; fields without a default are required."""
    required = [name for name, field in _fields(record) if field.default is _REQUIRED]
    return {"type": "object", "properties": properties_of(record), "required": required}


def record_of(kind: type[AnswerRecord], data: Mapping[str, Any]) -> Any:  # noqa: ANN401 an instance of `kind`
    """Build a record from plain data."""
    fields = dict(data)
    for name, field in _fields(kind):
        if field.item is not None and name in fields:
            value, item = fields[name], field.item
            many = isinstance(value, list)
            fields[name] = [record_of(item, x) for x in value] if many else record_of(item, value)
    return kind(**fields)


def without_descriptions(schema: Mapping[str, Any]) -> Schema:
    """A schema with types alone."""
    found: Schema = {name: part for name, part in schema.items() if name != "description"}
    if "properties" in found:
        inner = found["properties"].items()
        found["properties"] = {name: without_descriptions(part) for name, part in inner}
    if "items" in found:
        found["items"] = without_descriptions(found["items"])
    return found


def plain(value: Any) -> Any:  # noqa: ANN401 any JSON value, or a record
    """The value with records turned into dicts, without fields that have their default."""
    if type(value) in _ATOMS:
        return value
    if isinstance(value, AnswerRecord):
        defaults = _defaults(type(value))  # type: ignore[arg-type] # checkers think that classes have no hash
        return {
            # without a call for what most values are
            name: item if type(item) in _ATOMS else plain(item)
            for name, item in vars(value).items()
            if name not in defaults or not _is_default(defaults[name], item)
        }
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [item if type(item) in _ATOMS else plain(item) for item in value]
    return str(value) if isinstance(value, NumberedLines) else value


def field_values(value: Any, names: Collection[str]) -> Iterator[Any]:  # noqa: ANN401 as in `plain`
    """The values of the fields of these names, in records and in the records inside of them."""
    if isinstance(value, AnswerRecord):
        for name, item in vars(value).items():
            if name in names:
                yield item
            elif type(item) not in _ATOMS:
                yield from field_values(item, names)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from field_values(item, names)


@cache
def _defaults(record: type[AnswerRecord]) -> Mapping[str, object]:
    """The defaults of the fields that have one."""
    return {
        name: field.default for name, field in _fields(record) if field.default is not _REQUIRED
    }


def _is_default(default: object, value: object) -> bool:
    return not value if default in _EMPTY else value == default


def _fields(record: type[AnswerRecord]) -> Iterator[tuple[str, _Field]]:
    """The fields of a record, then those that it shares with others."""
    for kind in record.__mro__:
        for name, field in vars(kind).items():
            if isinstance(field, _Field):
                yield name, field


class Failure(AnswerRecord):
    """The result when `ok` is false."""

    code: str = string("Error code")
    reason: str = string("Reason")
    hint: str = string("What to do instead", default="")


class ToolReply(NamedTuple):
    """A call that was run and written down in the audit log."""

    # the record, or a `Failure`
    result: Any
    warnings: Sequence[str] = ()
    ok: bool = True
    blocked: bool = False
    # empty where a toolset's answers have none
    request_id: str = ""
    # the warnings and what went wrong as records, for faces that word them themselves
    notices: Sequence[AnswerWarning] = ()
    problem: Problem | None = None
    # of answers that may lack a part of what was asked for
    verdict: str = ""
    step: str = ""
