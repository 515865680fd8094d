"""The sheet of Scala."""

from __future__ import annotations

from typing import Final

from code_graph.treesitter.sheet import Sheet

SHEET: Final = Sheet(
    """
    # declarations
    package_clause               package              def=package @name=name:package_identifier \
        unit
    package_object               type_declaration     def=class @name=name:
    class_definition             type_declaration     def=class @name=name:
    object_definition            type_declaration     def=class @name=name:
    trait_definition             type_declaration     def=trait @name=name:
    enum_definition              type_declaration     def=enum @name=name:
    full_enum_case               type_declaration     def=class @name=name:
    simple_enum_case             enum_case            def=enumerator @name=name:
    given_definition             given                def=class @name=name: \
        has=body:with_template_body
    &                                                 def=constant @name=name:
    type_definition              alias                def=type @name=name:
    function_definition          function_declaration def=function @name=name:
    function_declaration         function_declaration def=function @name=name:
    val_definition               value_declaration    def=constant @name=pattern:identifier
    var_definition               value_declaration    def=variable @name=pattern:identifier
    class_parameter              -                    def=constant has="val" \
        @name=name:identifier
    &                                                 def=variable has="var" \
        @name=name:identifier

    # bases
    extends_clause               -                    \
        @extends=type_identifier|generic_type|stable_type_identifier|compound_type

    # control flow
    if_expression                if_expression        flow=if
    for_expression               for_expression       flow=for
    while_expression             while_statement      flow=while
    do_while_expression          while_statement      flow=do
    match_expression             match_expression     flow=match
    try_expression               try_expression       flow=try
    lambda_expression            function_literal     flow=anonymous
    case_block                   partial_function     flow=anonymous

    # names
    identifier                   identifier           use
    type_identifier|operator_identifier name use

    # statements, expressions and types
    integer_literal              whole_number
    floating_point_literal       fraction
    wildcard                     placeholder
    stable_identifier|stable_type_identifier path
    generic_type                 generic
    compound_type                compound
    infix_type                   infix_type
    tuple_type|tuple_expression  tuple_of
    function_type                function_type
    lazy_parameter_type|annotated_type|repeated_parameter_type|method_value|annotation first_child
    singleton_type|throw_expression|xml_expression opaque
    refinement|export_declaration|modifiers|access_modifier nothing
    call_expression|field_expression|generic_function chain
    infix_expression             infix
    prefix_expression            prefix
    postfix_expression           postfix
    instance_expression          instance
    assignment_expression        assignment
    parenthesized_expression     parenthesized
    ascription_expression        ascription
    return_expression            return_expression
    block|indented_block         block
    indented_cases               partial_function
    string|interpolated_string_expression string
    self_type                    self_type
    extension_definition         extension
    val_declaration|var_declaration value_declaration

    # literals
    boolean_literal              literal              of=bool
    character_literal            literal              of=char
    null_literal                 literal              of=none
    unit                         literal              of=unit

    # imports, comments and the rest
    import_declaration           import_declaration   import
    comment|block_comment        skip                 comment
    """,
    """
    (val_definition pattern: (identifiers (identifier) @name @def.constant))
    (val_definition pattern: (tuple_pattern (identifier) @name @def.constant))
    (val_definition pattern: (case_class_pattern pattern: (identifier) @name @def.constant))
    (val_declaration name: (identifier) @name @def.constant)
    (var_definition pattern: (identifiers (identifier) @name @def.variable))
    (var_declaration name: (identifier) @name @def.variable)
    (class_definition "case" class_parameters: (class_parameters (class_parameter name:
        (identifier) @name) @def.constant))
    (full_enum_case class_parameters: (class_parameters (class_parameter name: (identifier) @name)
        @def.constant))
    (instance_expression "new" @name (template_body) @def.class)
    """,
)
