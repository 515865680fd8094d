"""The sheet of Java."""

from __future__ import annotations

from typing import Final

from code_graph.treesitter.sheet import Sheet

_OF_TYPE: Final = (
    "type_parameters=type_parameters attributes=modifiers fields=formal_parameters "
    "evaluated=permits base_type=superclass interfaces=super_interfaces,extends_interfaces "
    "members=class_body,interface_body,enum_body,annotation_type_body"
)
_OF_FUNCTION: Final = (
    "type_parameters=type_parameters attributes=modifiers "
    "evaluated=marker_annotation,annotation result_type=type: "
    "parameters=formal_parameters raised=throws evaluated=dimensions,value: "
    "block_body=block,constructor_body"
)

SHEET: Final = Sheet(
    f"""
    # declarations
    package_declaration          nothing              def=package \
        @name=identifier,scoped_identifier unit
    module_declaration           -                    def=module @name=name: @body=body:
    class_declaration            type                 def=class @modifiers=modifiers? @name=name: \
        @body=body: {_OF_TYPE}
    interface_declaration        type                 def=interface @modifiers=modifiers? \
        @name=name: @body=body: {_OF_TYPE}
    enum_declaration             type                 def=enum @modifiers=modifiers? @name=name: \
        @body=body: {_OF_TYPE}
    record_declaration           type                 def=record @modifiers=modifiers? \
        @name=name: @parameters=parameters: @body=body: {_OF_TYPE}
    annotation_type_declaration  type                 def=annotation @modifiers=modifiers? \
        @name=name: @body=body: {_OF_TYPE}
    method_declaration           function             def=method @modifiers=modifiers? \
        @returns=type: @name=name: @parameters=parameters: @body=body:? {_OF_FUNCTION}
    annotation_type_element_declaration function def=method @modifiers=modifiers? @returns=type: \
        @name=name: {_OF_FUNCTION}
    constructor_declaration      function             def=constructor @modifiers=modifiers? \
        @name=name: @parameters=parameters: @body=body:? unbound {_OF_FUNCTION}
    compact_constructor_declaration function def=constructor @modifiers=modifiers? @name=name: \
        @body=body:? unbound {_OF_FUNCTION}
    field_declaration            field_declaration    def=field @modifiers=modifiers? \
        @returns=type: @name=declarator:variable_declarator/name:identifier
    constant_declaration         field_declaration    def=constant @modifiers=modifiers? \
        @returns=type: @name=declarator:variable_declarator/name:identifier
    enum_constant                enum_constant        def=enumerator @modifiers=modifiers? \
        @name=name: @body=body:?

    # bases
    superclass                   -                    @extends=_
    super_interfaces|extends_interfaces - @extends=type_list/_

    # control flow
    if_statement                 if_statement         flow=if
    for_statement                for_statement        flow=for
    enhanced_for_statement       enhanced_for         flow=for
    while_statement              while_statement      flow=while
    do_statement                 while_statement      flow=do
    switch_expression            switch               flow=switch
    try_statement                -                    flow=try
    try_with_resources_statement nested_block         flow=try

    # names
    identifier                   name                 use
    type_identifier              type_name            use

    # statements, expressions and types
    scoped_identifier|scoped_type_identifier qualified_name
    generic_type                 generic_type
    array_type                   array_type
    annotated_type               last_child
    wildcard                     wildcard
    integral_type|floating_point_type|boolean_type|void_type builtin
    this                         this
    super                        super
    method_invocation            chain                step=call
    field_access                 chain                step=field_access
    array_access                 chain                step=element_step
    object_creation_expression   object_creation
    array_creation_expression    array_creation
    array_initializer|element_value_array_initializer list_values
    method_reference             method_reference
    lambda_expression            lambda_expression
    assignment_expression        assignment
    binary_expression            binary truth=&&,||,==,!=,<,>,<=,>=
    unary_expression             unary
    ternary_expression           conditional
    cast_expression              cast_expression
    instanceof_expression        instance_of
    class_literal                class_literal
    decimal_integer_literal|hex_integer_literal|octal_integer_literal|binary_integer_literal integer
    decimal_floating_point_literal|hex_floating_point_literal floating
    yield_statement              yield_statement
    template_expression|string_interpolation|enum_body_declarations opaque
    class_body|modifiers|throw_statement opaque
    local_variable_declaration   local_variables
    marker_annotation|annotation annotation
    element_value_pair           last_value
    block|constructor_body       nested_block
    resource                     resource
    catch_clause                 catch_clause
    return_statement             return_statement
    labeled_statement            labeled_statement
    break_statement|continue_statement nothing
    explicit_constructor_invocation constructor_invocation

    # literals
    null_literal                 literal              of=none
    true|false                   literal              of=bool
    character_literal            literal              of=char
    string_literal               literal              of=str

    # imports, comments and the rest
    import_declaration           import_declaration   import
    line_comment|block_comment   skip                 comment
    static_initializer           nested_block         unit
    """,
    """
    (record_declaration parameters: (formal_parameters (formal_parameter type: (_) @returns name:
        (_) @name) @def.field))
    (object_creation_expression "new" @name type: (_) @base_type (class_body) @def.class)
    """,
)
