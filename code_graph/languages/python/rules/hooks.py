"""Methods of a class that those it inherits from a library call: `thread.start()` calls `run`.

Which ones they are, no code of the repository says: the table does, by the last names of bases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from code_graph.evaluate.source_file import SourceFile
from code_graph.evaluate.values import (
    ExternalInstance,
    FunctionValue,
    Instance,
    Result,
    SuperValue,
    Value,
    merge,
)
from code_graph.expressions import NONE, Op
from code_graph.languages.python.rules import models
from code_graph.model import Strategy

if TYPE_CHECKING:
    from code_graph.languages.python.rules.evaluation import PythonEvaluation

# bases: the methods that are called of an object; what these call of it, or behind `@` of the
# objects that it has as members, as a form has fields. `*` ends a beginning
_TABLE: Final = """
Thread Process Timer: start: run
NodeVisitor NodeTransformer: visit generic_visit: visit_* generic_visit
HTMLParser: feed close: handle_* unknown_decl
Cmd: onecmd cmdloop: do_* default emptyline precmd postcmd preloop postloop
Handler StreamHandler FileHandler: handle emit: emit format filter
Formatter: format vformat: get_value get_field format_field convert_field check_unused_args
Formatter: format: formatTime formatMessage formatException formatStack usesTime
JSONEncoder: encode iterencode: default iterencode
ArgumentParser: parse_args parse_known_args: error exit convert_arg_line_to_args
Action: format_usage: format_usage
Queue: put put_nowait: _put _qsize
Queue: get get_nowait: _get _qsize
BaseServer TCPServer UDPServer HTTPServer: handle_request: verify_request process_request
BaseServer TCPServer UDPServer HTTPServer: serve_forever: verify_request process_request
BaseServer TCPServer UDPServer HTTPServer: process_request: finish_request handle_error
TestCase: run debug: setUp tearDown
Mapping MutableMapping: get: __getitem__
Mapping MutableMapping: items values: __iter__ __getitem__
Mapping MutableMapping: keys: __iter__
MutableMapping UserDict: update setdefault: __setitem__
MutableMapping UserDict: pop popitem: __getitem__ __delitem__
MutableMapping UserDict: clear: __delitem__
Sequence MutableSequence: index count: __getitem__ __len__
MutableSequence: append extend: insert __len__
MutableSequence: pop remove: __getitem__ __delitem__
MutableSet: remove: __contains__ discard
MutableSet: clear pop: __iter__ discard
Set MutableSet: isdisjoint: __contains__ __iter__
RawIOBase: read readall: readinto
Form ModelForm BaseForm BaseModelForm: is_valid full_clean: clean clean_*
Form ModelForm BaseForm BaseModelForm: is_valid full_clean: _post_clean _clean_fields _clean_form
Form ModelForm BaseForm BaseModelForm: is_valid full_clean: @clean @to_python @validate
Form ModelForm BaseForm BaseModelForm: has_changed: @has_changed
Model: full_clean: @clean @validate @to_python
Model: save asave: @pre_save @get_prep_value @get_db_prep_save @get_db_prep_value
Serializer ModelSerializer HyperlinkedModelSerializer: is_valid: @run_validation @to_internal_value
Serializer ModelSerializer HyperlinkedModelSerializer: is_valid: @validate_empty_values
Model: full_clean: clean clean_fields validate_unique
Model: save asave: save_base
Manager BaseManager UserManager: all filter exclude get create first last count exists: get_queryset
Manager BaseManager UserManager: values values_list order_by annotate aggregate: get_queryset
Manager BaseManager UserManager: select_related prefetch_related none using update: get_queryset
Manager BaseManager UserManager: get_or_create update_or_create bulk_create iterator: get_queryset
QuerySet: filter exclude order_by annotate values values_list distinct reverse using: _clone
QuerySet: select_related prefetch_related defer only alias none union select_for_update: _clone
QuerySet: get: filter _clone _fetch_all
QuerySet: first last earliest latest: order_by _clone _fetch_all
QuerySet: get_or_create update_or_create: get create
QuerySet: __iter__ __len__ __bool__ __getitem__ iterator: _fetch_all
Mapping MutableMapping: __contains__: __getitem__
Sequence MutableSequence: __iter__ __contains__ __reversed__: __getitem__ __len__
Set MutableSet: __le__ __lt__ __ge__ __gt__ __eq__ __and__: __contains__ __iter__
Set MutableSet: __or__ __sub__ __xor__: __contains__ __iter__
UserDict: __getitem__: __missing__
QuerySet: in_bulk: filter _clone _fetch_all
Field CharField: clean: to_python validate run_validators
Serializer ModelSerializer HyperlinkedModelSerializer: is_valid: run_validation to_internal_value
Serializer ModelSerializer HyperlinkedModelSerializer: is_valid: validate validate_*
Serializer ModelSerializer HyperlinkedModelSerializer: save: create update
UpdateModelMixin ModelViewSet: partial_update: update
UpdateModelMixin ModelViewSet: update partial_update: get_object get_serializer perform_update
CreateModelMixin ModelViewSet: create: get_serializer perform_create get_success_headers
DestroyModelMixin ModelViewSet: destroy: get_object perform_destroy
RetrieveModelMixin ModelViewSet ReadOnlyModelViewSet: retrieve: get_object get_serializer
ListModelMixin ModelViewSet ReadOnlyModelViewSet: list: get_queryset filter_queryset
ListModelMixin ModelViewSet ReadOnlyModelViewSet: list: paginate_queryset
GenericAPIView ModelViewSet GenericViewSet: get_serializer: get_serializer_class
GenericAPIView ModelViewSet GenericViewSet: get_serializer: get_serializer_context
GenericAPIView ModelViewSet GenericViewSet: get_object: get_queryset filter_queryset
Session AsyncSession: add execute scalars scalar commit flush query get refresh merge: get_bind
Session AsyncSession: connection delete scalar_one begin: get_bind
Task: delay apply apply_async retry: run
Backend BaseBackend BaseDictBackend: store_result mark_as_done mark_as_failure: _store_result
Backend BaseBackend BaseDictBackend: mark_as_started mark_as_retry mark_as_revoked: _store_result
Backend BaseBackend BaseDictBackend KeyValueStoreBackend: store_result save_group: encode
Backend BaseBackend BaseDictBackend KeyValueStoreBackend: mark_as_done mark_as_started: encode
Backend BaseBackend BaseDictBackend KeyValueStoreBackend: mark_as_failure: encode
Backend BaseBackend BaseDictBackend KeyValueStoreBackend: mark_as_retry mark_as_revoked: encode
Backend BaseBackend BaseDictBackend KeyValueStoreBackend: get_task_meta get_result get_state: decode
Backend BaseBackend BaseDictBackend KeyValueStoreBackend: get_traceback restore_group: decode
Backend BaseBackend BaseDictBackend: get_task_meta get_result get_state: _get_task_meta_for
Backend BaseBackend BaseDictBackend: get_traceback get_children: _get_task_meta_for
Backend BaseBackend BaseDictBackend: save_group: _save_group
Backend BaseBackend BaseDictBackend: restore_group: _restore_group
Backend BaseBackend BaseDictBackend: delete_group: _delete_group
Backend BaseBackend BaseDictBackend: forget: _forget
KeyValueStoreBackend: store_result mark_as_done mark_as_failure mark_as_started: get set
KeyValueStoreBackend: mark_as_retry mark_as_revoked: get set
KeyValueStoreBackend: get_task_meta get_result get_state get_traceback restore_group: get
KeyValueStoreBackend: save_group: set
KeyValueStoreBackend: forget delete_group: delete
"""
# objects that pass their members on to one of the class which they are of
_SESSIONS: Final = frozenset(
    {"sqlalchemy.orm.scoped_session", "sqlalchemy.ext.asyncio.async_scoped_session"}
)
# members of one object that are looked at
_MOST_MEMBERS: Final = 60
_SAVED: Final = "save"
_SAVING: Final = frozenset(
    {"create", "acreate", "get_or_create", "aget_or_create", "update_or_create"}
)


def _read_table(text: str) -> dict[tuple[str, str], tuple[str, ...]]:
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for line in text.strip().split("\n"):
        bases, called, hooks = (part.split() for part in line.split(":"))
        for base in bases:
            for name in called:
                known = found.get((base, name), ())
                found[base, name] = tuple(dict.fromkeys((*known, *hooks)))
    return found


_HOOKS: Final = _read_table(_TABLE)
_CALLED: Final = _SAVING | {name for _, name in _HOOKS}
# methods that no name stands for which call others
IMPLIED: Final = frozenset(name for _, name in _HOOKS if name.startswith("__"))


class LibraryHooks:
    """Finds the methods of an object that an inherited one calls."""

    def __init__(self, evaluation: PythonEvaluation) -> None:
        """Nothing is looked for yet."""
        self._evaluation = evaluation

    def of(self, file: SourceFile, number: int) -> Result:
        """The methods that a call of a member runs, which is a library's."""
        item = file.expressions[number]
        named = file.expressions[item.of] if item.of != NONE else item
        found: Result = {}
        if named.op != Op.MEMBER or named.name not in _CALLED:
            return found
        for value in self._evaluation.evaluate(file, named.of):
            owner = value.receiver if isinstance(value, SuperValue) else value
            if isinstance(owner, Instance):
                merge(found, self.of_object(owner, named.name), Strategy.FRAMEWORK)
            elif isinstance(value, ExternalInstance) and value.name in _SESSIONS:
                for held in value.arguments[-1] if value.arguments else ():
                    if isinstance(held, Instance):
                        merge(found, self.of_object(held, named.name), Strategy.FRAMEWORK)
            elif named.name in _SAVING:
                merge(found, self._of_manager(value), Strategy.FRAMEWORK)
        return found

    def _of_manager(self, value: Value) -> Result:
        """The method by which a manager of Django stores what it makes."""
        found: Result = {}
        if isinstance(value, ExternalInstance) and value.name in models.MANAGERS:
            for made in value.arguments[-1] if value.arguments else ():
                if isinstance(made, Instance):
                    merge(found, self._method(made, _SAVED))
        return found

    def of_object(self, owner: Instance, name: str) -> Result:
        """The methods of an object that a method which it inherits from a library calls."""
        found: Result = {}
        for base in self._evaluation.classes.ancestors(owner.path, owner.scope):
            hooks = (
                _HOOKS.get((base.external.rpartition(".")[2], name), ()) if base.external else ()
            )
            for hook in hooks:
                if hook.startswith("@"):
                    merge(found, self._of_members(owner, hook.removeprefix("@")))
                    continue
                names = [hook]
                if hook.endswith("*"):
                    names = self._evaluation.classes.names_beginning(owner, hook.removesuffix("*"))
                for method in names:
                    if method != name:
                        merge(found, self._method(owner, method))
        return found

    def _of_members(self, owner: Instance, name: str) -> Result:
        """The methods of a name that the objects have which stand in the body of a class."""
        found: Result = {}
        classes = self._evaluation.classes
        for member in classes.names_beginning(owner, "")[:_MOST_MEMBERS]:
            for held in classes.member_of_instance(owner, member):
                if isinstance(held, Instance):
                    merge(found, self._method(held, name))
        return found

    def _method(self, owner: Instance, name: str) -> Result:
        members = self._evaluation.classes.member_of_instance(owner, name)
        return {item: how for item, how in members.items() if isinstance(item, FunctionValue)}
