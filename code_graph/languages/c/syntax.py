"""The sheet of C."""

from __future__ import annotations

from typing import Final

from code_graph.treesitter.sheet import Sheet

SHEET: Final = Sheet(
    """
    # declarations
    function_definition          function_definition  def=function @declarator=declarator: \
        @body=body:
    declaration                  declaration          def=variable @declarator=declarator:
    field_declaration            declaration          def=field @declarator=declarator:
    type_definition              type_definition      def=typedef @aliased=type: \
        @declarator=declarator:
    struct_specifier             record_type          def=struct @name=name: @body=body:
    union_specifier              record_type          def=union @name=name: @body=body:
    enum_specifier               record_type          def=enum @name=name: @body=body:
    enumerator                   enumerator           def=enumerator @name=name:
    preproc_def                  macro                def=macro @name=name:
    preproc_function_def         macro                def=macro @name=name: \
        @parameters=parameters:
    preproc_include              include              import @module=path:

    # control flow
    if_statement                 if_statement         flow=if
    for_statement                for_statement        flow=for
    while_statement              -                    flow=while
    do_statement                 -                    flow=do
    switch_statement             -                    flow=switch
    preproc_ifdef|preproc_if     conditional_text     flow=if
    preproc_else                 -                    flow=else
    preproc_elif|preproc_elifdef conditional_text     flow=elif

    # names
    identifier                   identifier           use
    type_identifier|field_identifier name use

    # statements, expressions and types
    type_descriptor              type_descriptor
    macro_type_specifier         macro_type
    call_expression|field_expression|subscript_expression chain step=step
    comma_expression             comma
    unary_expression|sizeof_expression|alignof_expression|case_statement opaque
    cast_expression              cast_expression
    compound_literal_expression  compound_literal
    assignment_expression        assignment
    conditional_expression       conditional
    binary_expression            binary
    offsetof_expression          offset_of
    initializer_list             initializer_list
    compound_statement           nested_block
    return_statement             return_statement
    expression_statement         pass_through
    goto_statement               nothing

    # imports, comments and the rest
    comment                      skip                 comment
    linkage_specification        -                    unit
    alignas_qualifier|attribute_declaration|attribute_specifier skip
    break_statement|char_literal|concatenated_string|continue_statement skip
    false|gnu_asm_qualifier|ms_call_modifier|ms_declspec_modifier|null skip
    number_literal|preproc_arg|preproc_call|preproc_defined skip
    preproc_directive|preproc_params|primitive_type|sized_type_specifier skip
    statement_identifier|storage_class_specifier|string_literal skip
    system_lib_string|true|type_qualifier skip
    """,
    """
    (type_definition type: (struct_specifier !name body: (_) @body) @def.struct declarator:
        (type_identifier) @name)
    (type_definition type: (union_specifier !name body: (_) @body) @def.union declarator:
        (type_identifier) @name)
    (type_definition type: (enum_specifier !name body: (_) @body) @def.enum declarator:
        (type_identifier) @name)
    ((expression_statement (call_expression function: (identifier) @defining arguments:
        (argument_list . (identifier) @name)) @before_body) @def.function . (compound_statement)
        @until)
    """,
)
