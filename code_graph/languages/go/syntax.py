"""The sheet of Go."""

from __future__ import annotations

from typing import Final

from code_graph.treesitter.sheet import Sheet

SHEET: Final = Sheet(
    """
    # declarations
    package_clause               nothing              def=package @name=package_identifier unit
    function_declaration         function_declaration def=function @name=name: \
        @parameters=parameters: @returns=result:? @body=body:?
    method_declaration           function_declaration def=method @receiver=receiver: @name=name: \
        @parameters=parameters: @returns=result:? @body=body:?
    method_elem                  -                    def=method @name=name: \
        @parameters=parameters: @returns=result:?
    type_spec                    type_spec            def=struct @name=name: \
        @body=type:struct_type/field_declaration_list
    &                                                 def=interface @name=name: \
        @before_body=type:interface_type/"interface"
    &                                                 def=type @name=name: \
        @returns=type:type_identifier,qualified_type,generic_type,pointer_type,array_type,slice_type,map_type,channel_type,function_type,parenthesized_type
    type_alias                   type_spec            def=struct @name=name: \
        @body=type:struct_type/field_declaration_list
    &                                                 def=interface @name=name: \
        @before_body=type:interface_type/"interface"
    &                                                 def=type @name=name: \
        @returns=type:type_identifier,qualified_type,generic_type,pointer_type,array_type,slice_type,map_type,channel_type,function_type,parenthesized_type
    field_declaration            -                    def=field @name=name: @returns=type:
    &                                                 def=field !name @embedded=type:
    const_spec                   variables            def=constant @name=name:identifier
    var_spec                     variables            def=variable @name=name:identifier
    import_spec                  import_spec          import @alias=name:? @module=path:

    # control flow
    if_statement                 if_statement         flow=if
    for_statement                for_statement        flow=for
    expression_switch_statement  switch               flow=switch
    type_switch_statement        type_switch          flow=switch
    select_statement             switch               flow=select

    # names
    identifier                   identifier           use
    type_identifier|field_identifier name use

    # statements, expressions and types
    package_identifier           name
    label_name                   nothing
    qualified_type               qualified_type
    generic_type                 generic_type
    pointer_type                 pass_through
    slice_type|array_type|implicit_length_array_type list_type
    map_type                     map_type
    channel_type                 channel_type
    function_type                function_type
    struct_type|interface_type   anonymous_type
    call_expression              chain                step=call_step
    selector_expression          chain                step=member_step
    index_expression             chain                step=element_step
    slice_expression             chain                step=slice_step
    type_assertion_expression    chain                step=cast_step
    type_conversion_expression   conversion
    type_instantiation_expression instantiation
    composite_literal            composite_literal
    literal_value|expression_list opaque
    func_literal                 function_literal
    binary_expression            binary truth=&&,||,==,!=,<,>,<=,>=
    unary_expression             unary
    const_declaration            constants
    short_var_declaration|receive_statement short_variables
    assignment_statement         assignment
    block                        nested_block
    range_clause                 range_clause
    return_statement             return_statement

    # literals
    nil                          literal              of=none
    true|false                   literal              of=bool
    iota|int_literal             literal              of=int
    float_literal                literal              of=float
    imaginary_literal            literal              of=complex
    rune_literal                 literal              of=rune
    interpreted_string_literal|raw_string_literal literal of=str

    # imports, comments and the rest
    comment                      skip                 comment
    source_file                  -                    \
        @unit=const_declaration|var_declaration|type_declaration
    import_declaration           -                    unit
    escape_sequence              skip
    """,
    """
    (field_declaration !name type: [(type_identifier) (qualified_type)] @extends)
    (field_declaration !name type: (pointer_type (type_identifier) @extends))
    (interface_type (type_elem . [(type_identifier) (qualified_type)] @extends .))
    """,
)
