"""The sheet of C#."""

from __future__ import annotations

from typing import Final

from code_graph.treesitter.sheet import Sheet

_OF_TYPE: Final = (
    "type_parameters_of_type=type_parameter_list attributes=attribute_list "
    "attribute_branch=preproc_if,preproc_if_in_attribute_list fields=parameter_list "
    "bases=base_list members=declaration_list,enum_member_declaration_list"
)

SHEET: Final = Sheet(
    f"""
    # declarations
    namespace_declaration        namespace            def=namespace @name=name: @body=body:
    file_scoped_namespace_declaration file_namespace def=namespace @name=name:
    class_declaration            type                 def=class @name=name: \
        @parameters=parameter_list? @body=body:? {_OF_TYPE}
    struct_declaration           type                 def=struct @name=name: \
        @parameters=parameter_list? @body=body:? {_OF_TYPE}
    record_declaration           type                 def=record @name=name: \
        @parameters=parameter_list? @body=body:? {_OF_TYPE}
    interface_declaration        type                 def=interface @name=name: @body=body: \
        {_OF_TYPE}
    enum_declaration             type                 def=enum @name=name: @body=body: {_OF_TYPE}
    enum_member_declaration      enum_member          def=enumerator @name=name:
    delegate_declaration         callable_declaration def=delegate @returns=type: @name=name: \
        @parameters=parameters:
    method_declaration           callable_declaration def=method @returns=returns: @name=name: \
        @parameters=parameters: @body=body:?
    constructor_declaration      callable_declaration def=constructor @name=name: \
        @parameters=parameters: @body=body:?
    destructor_declaration       callable_declaration def=destructor @name=name: \
        @parameters=parameters: @body=body:?
    property_declaration         property_declaration def=property @returns=type: @name=name: \
        @body=accessors:? @value=value:?
    indexer_declaration          property_declaration def=indexer @returns=type: @name="this" \
        @parameters=parameters: @body=accessors:? @value=value:?
    operator_declaration         callable_declaration def=operator @returns=type: \
        @name="operator" @operator=operator:* @parameters=parameters: @body=body:?
    event_declaration            property_declaration def=event @returns=type: @name=name: \
        @body=accessors:?
    local_function_statement     callable_declaration def=function @returns=type: @name=name: \
        @parameters=parameters: @body=body:?
    using_directive              using_directive      def=using @name=name:identifier has="=" \
        @returns=_
    &                                                 import unit
    extern_alias_directive       extern_alias         import @alias=name:

    # bases
    base_list                    -                    \
        @extends=identifier,generic_name,qualified_name,alias_qualified_name
    primary_constructor_base_type - @extends=type:

    # control flow
    if_statement                 if_statement         flow=if
    for_statement                for_statement        flow=for
    foreach_statement            foreach_statement    flow=foreach
    while_statement              while_statement      flow=while
    do_statement                 while_statement      flow=do
    switch_statement             switch_statement     flow=switch
    try_statement                -                    flow=try
    lock_statement               -                    flow=lock
    using_statement              nested_block         flow=using
    lambda_expression|anonymous_method_expression lambda_expression flow=anonymous

    # names
    identifier                   name                 use

    # statements, expressions and types
    implicit_parameter|implicit_type|interpolation_format_clause|goto_statement nothing
    predefined_type              builtin
    generic_name                 generic_name
    qualified_name|alias_qualified_name qualified_name
    array_type                   array_type
    nullable_type|tuple_element|pointer_type|ref_type|scoped_type|function_pointer_parameter typed
    tuple_type                   tuple_type
    function_pointer_type        function_pointer_type
    invocation_expression        chain                step=call_step
    member_access_expression     chain                step=member_step
    element_access_expression    chain                step=element_step
    conditional_access_expression chain step=conditional_step
    object_creation_expression|implicit_object_creation_expression object_creation
    anonymous_object_creation_expression anonymous_object
    array_creation_expression|stackalloc_expression array_creation
    implicit_array_creation_expression|implicit_stackalloc_expression pass_through
    postfix_unary_expression     pass_through
    initializer_expression|collection_expression list_values
    spread_element               element_of
    assignment_expression        assignment
    binary_expression            binary truth=&&,||
    conditional_expression       conditional
    prefix_unary_expression      prefix
    as_expression                as_expression
    is_expression                truth
    cast_expression              cast_expression
    await_expression             await_expression
    throw_expression|sizeof_expression|range_expression|finally_clause|declaration_list opaque
    with_expression              with_expression
    tuple_expression             tuple_expression
    declaration_expression       declaration_expression
    interpolated_string_expression text_with_values
    typeof_expression            type_object
    integer_literal|real_literal number_literal
    default_expression           default_expression
    is_pattern_expression        is_pattern
    switch_expression            switch_expression
    query_expression             query_expression
    from_clause                  from_clause
    join_clause                  join_clause
    let_clause                   let_clause
    preproc_if|preproc_elif      preprocessor_branch
    block                        nested_block
    fixed_statement              nested_block
    return_statement             return_statement
    yield_statement              yielded
    catch_clause                 catch_clause
    labeled_statement            labeled_statement
    variable_declaration         variable_declaration
    conversion_operator_declaration callable_declaration
    field_declaration|event_field_declaration field_declaration
    attribute                    attribute
    attribute_argument           last_value
    "this"                       this
    "base"                       super

    # literals
    null_literal                 literal              of=none
    boolean_literal              literal              of=bool
    character_literal            literal              of=char
    string_literal|verbatim_string_literal|raw_string_literal literal of=str

    # imports, comments and the rest
    comment                      skip                 comment
    attribute_list               -                    attribute
    global_statement             -                    unit
    discard|modifier|preproc_arg|preproc_define skip
    preproc_endregion|preproc_error|preproc_line|preproc_nullable skip
    preproc_pragma|preproc_region|preproc_undef|preproc_warning skip
    shebang_directive|string_content skip
    """,
    """
    (record_declaration (parameter_list (parameter type: (_) @returns name: (_) @name)
        @def.property))
    (conversion_operator_declaration "operator" @name type: (_) @returns @operator parameters: (_)
        @parameters body: (_)? @body) @def.operator
    (event_field_declaration (variable_declaration type: (_) @returns (variable_declarator name:
        (_) @name))) @def.event
    (field_declaration (variable_declaration type: (_) @returns (variable_declarator name: (_)
        @name))) @def.field
    """,
)
