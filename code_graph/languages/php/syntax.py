"""The sheet of PHP."""

from __future__ import annotations

from typing import Final

from code_graph.treesitter.sheet import Sheet

SHEET: Final = Sheet(
    """
    # declarations
    namespace_definition         namespace            def=package !body @name=name:namespace_name \
        unit
    &                                                 def=namespace @name=name:namespace_name \
        @body=body:
    class_declaration            type_declaration     def=class @name=name: @body=body:
    interface_declaration        type_declaration     def=interface @name=name: @body=body:
    trait_declaration            type_declaration     def=trait @name=name: @body=body:
    enum_declaration             type_declaration     def=enum @name=name: @body=body:
    enum_case                    enum_case            def=enumerator @name=name:
    function_definition          callable_declaration def=function @name=name: \
        @parameters=parameters: @returns=return_type:? @body=body:
    method_declaration           callable_declaration def=method @name=name: \
        @parameters=parameters: @returns=return_type:? @body=body:?
    property_declaration         property_declaration def=property @returns=type:? \
        @name=property_element/name:variable_name/name
    property_promotion_parameter -                    def=property @returns=type:? \
        @name=name:variable_name/name
    const_declaration            const_declaration    def=constant @name=const_element/.name
    function_call_expression     chain                def=constant @keyword=function:name \
        @name=arguments:arguments/.argument/string/string_content step=function_call

    # bases
    base_clause|class_interface_clause - @extends=name,qualified_name
    use_declaration              nothing              @extends=name,qualified_name

    # control flow
    if_statement                 if_statement         flow=if
    for_statement                while_statement      flow=for
    foreach_statement            foreach              flow=foreach
    while_statement              while_statement      flow=while
    do_statement                 while_statement      flow=do
    switch_statement             -                    flow=switch
    match_expression             match                flow=match
    try_statement                -                    flow=try
    anonymous_function|arrow_function anonymous_function flow=anonymous

    # names
    name                         name                 use

    # statements, expressions and types
    member_call_expression|nullsafe_member_call_expression|scoped_call_expression chain \
        step=member_call
    member_access_expression|nullsafe_member_access_expression chain step=member_access
    scoped_property_access_expression|class_constant_access_expression chain step=member_access
    subscript_expression         chain                step=element_step
    qualified_name|relative_name qualified_name
    relative_scope               relative_scope
    variable_name                variable
    dynamic_variable_name|throw_expression|yield_expression opaque
    print_intrinsic|include_expression|include_once_expression opaque
    require_expression|require_once_expression|sequence_expression opaque
    declaration_list|attribute_group|compound_statement|colon_block opaque
    expression_statement|finally_clause|function_static_declaration opaque
    primitive_type               builtin
    bottom_type|named_label_statement|goto_statement|break_statement|continue_statement nothing
    union_type|intersection_type|disjunctive_normal_form_type|type_list either_type
    object_creation_expression   object_creation
    array_creation_expression    list_values
    array_element_initializer    array_element
    assignment_expression|reference_assignment_expression assignment
    augmented_assignment_expression augmented_assignment
    binary_expression            binary \
        truth=&&,||,and,or,xor,==,!=,<>,===,!==,<,>,<=,>=,instanceof
    unary_op_expression          unary
    conditional_expression       conditional
    cast_expression              cast_expression
    encapsed_string|heredoc|shell_command_expression text_with_values
    else_if_clause               else_if
    else_clause|case_statement|default_statement branch
    declare_statement            declare
    attribute                    attribute
    catch_clause                 catch_clause
    return_statement             return_statement
    static_variable_declaration  static_variable
    global_declaration           global_variables

    # literals
    null                         literal              of=none
    boolean                      literal              of=bool
    integer                      literal              of=int
    float                        literal              of=float
    string|nowdoc                literal              of=str

    # imports, comments and the rest
    namespace_use_declaration    use                  import
    comment                      skip                 comment
    attribute_list               opaque               attribute
    cast_type|namespace_name|operation|php_tag|string_content|text skip
    text_interpolation|visibility_modifier skip
    """,
    """
    (anonymous_class "class" @name body: (_) @def.class)
    """,
)
