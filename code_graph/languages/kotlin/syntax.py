"""The sheet of Kotlin."""

from __future__ import annotations

from typing import Final

from code_graph.treesitter.sheet import Sheet

_TYPES: Final = "user_type,nullable_type,function_type,parenthesized_type,non_nullable_type"
_PARAMETERS_OF_TYPES: Final = "type_parameters=type_parameters,type_constraints"
_BASES: Final = "|".join(
    f"delegation_specifiers/delegation_specifier/{path}user_type"
    for path in ("", "constructor_invocation/", "explicit_delegation/")
)
_OF_TYPE: Final = (
    f"decorate=modifiers {_PARAMETERS_OF_TYPES} fields=primary_constructor "
    "bases=delegation_specifiers members=class_body,enum_class_body"
)
_OF_FUNCTION: Final = (
    f"decorate=modifiers {_PARAMETERS_OF_TYPES} receiver={_TYPES} "
    f"parameters=function_value_parameters result_type={_TYPES} "
    "delegation=constructor_delegation_call body=function_body block_body=block"
)

SHEET: Final = Sheet(
    f"""
    # declarations
    package_header          nothing           def=package @name=_ unit
    import                  import_header     import
    class_declaration       type              def=class @name=name: @extends={_BASES} {_OF_TYPE}
    object_declaration      type              def=class @name=name: @extends={_BASES} {_OF_TYPE}
    companion_object        type              def=class @name=name:|"companion" \
        @extends={_BASES} {_OF_TYPE}
    type_alias              head              def=type @name=type: decorate=modifiers \
        {_PARAMETERS_OF_TYPES} aliased={_TYPES}
    function_declaration    function          def=function @name=name: {_OF_FUNCTION}
    secondary_constructor   function          unbound def=constructor @name="constructor" \
        {_OF_FUNCTION}
    property_declaration    property          def=variable @name=variable_declaration/.identifier
    enum_entry              head              def=enumerator @name=identifier \
        decorate=modifiers entry_arguments=value_arguments entry_body=class_body
    object_literal          object_literal
    anonymous_function      anonymous_function    flow=anonymous
    anonymous_initializer   opaque            flow=anonymous unit
    getter|setter           pass_through      flow=anonymous
    annotation              first_child
    file_annotation         file_annotation
    modifiers               opaque

    # statements
    for_statement           for_statement     flow=for
    while_statement         while_statement   flow=while
    do_while_statement      while_statement   flow=do
    if_expression           if_expression     flow=if
    when_expression         when_expression   flow=when
    try_expression          try_expression    flow=try
    catch_block             catch_block
    throw_expression        opaque
    return_expression       return_expression
    assignment              assignment
    block                   nested_block
    label                   nothing

    # names and types
    identifier              identifier        use
    this_expression         this_expression
    super_expression        super_expression
    user_type               user_type
    nullable_type|non_nullable_type|parenthesized_type|type_projection  first_child
    function_type           function_type

    # values
    number_literal          whole_number
    float_literal           fraction
    character_literal       literal           of=char
    string_literal|multiline_string_literal   string
    collection_literal      list_values
    call_expression|navigation_expression|index_expression  chain
    callable_reference      callable_reference
    constructor_invocation  constructor_invocation
    unary_expression        unary
    binary_expression       binary truth=&&,||,==,!=,<,>,<=,>=,===,!==,in,!in
    infix_expression        infix
    as_expression           as_expression
    is_expression|in_expression  truth
    labeled_expression|annotated_expression|annotated_lambda  last_child
    lambda_literal          function_literal  flow=anonymous
    line_comment|block_comment  skip          comment
    """,
    # a property by its keyword, and the body of an object without a name
    """
    (class_parameter ["val" "var"] . (identifier) @name) @def.variable
    (object_literal "object" @name (class_body) @def.class)
    """,
)
