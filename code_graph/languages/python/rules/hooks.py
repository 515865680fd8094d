"""Methods of a class that those it inherits from a library call: `thread.start()` calls `run`.

Which ones they are, no code of the repository says: the table does, by the last names of bases.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from code_graph.evaluate.dependencies import name_key
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
    from code_graph.evaluate.evaluation import Evaluation

# bases: the methods that are called of an object; what these call of it. `*` ends a beginning
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
Model: full_clean: clean clean_fields validate_unique
Model: save asave: save_base
Manager BaseManager UserManager: all filter exclude get create first last count exists: get_queryset
Manager BaseManager UserManager: values values_list order_by annotate aggregate: get_queryset
Manager BaseManager UserManager: select_related prefetch_related none using update: get_queryset
Manager BaseManager UserManager: get_or_create update_or_create bulk_create iterator: get_queryset
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
Task: delay apply apply_async retry: run
Backend BaseBackend BaseDictBackend: store_result mark_as_done mark_as_failure: _store_result
Backend BaseBackend BaseDictBackend: mark_as_started mark_as_retry mark_as_revoked: _store_result
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


class LibraryHooks:
    """Finds the methods of an object that an inherited one calls."""

    def __init__(self, evaluation: Evaluation) -> None:
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
                merge(found, self._of_object(owner, named.name), Strategy.FRAMEWORK)
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

    def _of_object(self, owner: Instance, name: str) -> Result:
        found: Result = {}
        for base in self._evaluation.classes.ancestors(owner.path, owner.scope):
            hooks = (
                _HOOKS.get((base.external.rpartition(".")[2], name), ()) if base.external else ()
            )
            for hook in hooks:
                for method in self._named(owner, hook) if hook.endswith("*") else (hook,):
                    if method != name:
                        merge(found, self._method(owner, method))
        return found

    def _named(self, owner: Instance, hook: str) -> Iterator[str]:
        """The members that begin so, of a class and those of the repository that it inherits."""
        begin = hook.removesuffix("*")
        for base in self._evaluation.classes.ancestors(owner.path, owner.scope):
            file = self._evaluation.file(base.path) if base.path else None
            if file is not None:
                key = name_key(file.path, file.qualified(base.scope), "")
                self._evaluation.engine.depend_on(file.path, key)
                yield from (
                    name for name in file.names_in.get(base.scope, ()) if name.startswith(begin)
                )

    def _method(self, owner: Instance, name: str) -> Result:
        members = self._evaluation.classes.member_of_instance(owner, name)
        return {item: how for item, how in members.items() if isinstance(item, FunctionValue)}
