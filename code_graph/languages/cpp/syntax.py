"""The sheet of C++."""

from __future__ import annotations

from typing import Final

from code_graph.languages.c import syntax as c
from code_graph.treesitter.sheet import Sheet

SHEET: Final = Sheet(
    """
    # declarations
    class_specifier              record_type          def=class @name=name: @body=body:
    namespace_definition         namespace            def=namespace @name=name: @body=body:
    namespace_alias_definition   namespace_alias      def=using @name=name:
    alias_declaration            alias                def=type @name=name: @returns=type:
    concept_definition           concept              def=concept @name=name:
    function_definition          -                    def=function @declarator=declarator: \
        has=default_method_clause
    &                                                 def=function @declarator=declarator: \
        has=delete_method_clause
    &                                                 def=function @declarator=declarator: \
        @body=try_statement
    friend_declaration           -                    skip has=declaration

    # bases
    base_class_clause            -                    \
        @extends=type_identifier,qualified_identifier,template_type

    # statements, expressions and types
    binary_expression            binary               truth=&&,||,and,or
    identifier|namespace_identifier name
    unary_expression             unary
    sizeof_expression            size
    this|"this"                  this
    primitive_type               primitive
    sized_type_specifier         sized_type
    number_literal               number
    user_defined_literal         suffixed
    pointer_expression           pointer
    update_expression            step_by_one
    qualified_identifier         qualified
    template_type|template_function|template_method template_use
    nested_namespace_specifier   path
    destructor_name|operator_name|placeholder_type_specifier|attribute nothing
    decltype                     type_of
    new_expression               new_expression
    lambda_expression            lambda_expression
    co_await_expression          await_expression
    co_return_statement          return_statement
    co_yield_statement           yielded
    requires_expression          requires_expression
    parameter_pack_expansion     pass_through
    field_initializer            field_initializer
    for_range_loop               range_loop
    catch_clause                 catch_clause
    declaration_list             declarations
    linkage_specification|condition_clause opaque

    # literals
    true|false                   literal              of=bool
    char_literal                 literal              of=char
    string_literal|raw_string_literal|concatenated_string literal of=str
    null|nullptr                 literal              of=none

    # imports, comments and the rest
    template_declaration         template             wrap
    access_specifier             skip                 access
    using_declaration            using                import
    default_method_clause|delete_method_clause|virtual_specifier skip
    """,
    base=c.SHEET,
)
