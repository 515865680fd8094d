"""The sheet of Swift."""

from __future__ import annotations

from typing import Final

from code_graph.treesitter.sheet import Sheet

SHEET: Final = Sheet(
    """
    # declarations
    class_declaration            type_declaration     def=class @keyword=declaration_kind:* \
        @name=name: @body=body:
    protocol_declaration         type_declaration     def=protocol @name=name: @body=body:
    function_declaration         function_declaration def=function has="func" @name=.name:* \
        @body=body:?
    protocol_function_declaration function_declaration def=function has="func" @name=.name:*
    init_declaration             function_declaration def=constructor @name=name:"init" \
        @body=body:?
    deinit_declaration           function_declaration def=destructor @name="deinit" @body=body:
    subscript_declaration        function_declaration def=subscript @name="subscript" \
        @body=computed_property?
    property_declaration         property_declaration def=variable \
        @name=name:pattern/bound_identifier:
    &                                                 def=variable \
        @name=name:pattern/pattern/simple_identifier
    protocol_property_declaration property_declaration def=variable \
        @name=name:pattern/bound_identifier: @body=protocol_property_requirements
    enum_entry                   enum_entry           def=enumerator @name=name:simple_identifier \
        @parameters=.data_contents:?
    typealias_declaration        alias                def=type has="typealias" @name=.name: \
        @returns=name:?
    associatedtype_declaration   alias                def=type has="associatedtype" @name=.name:
    operator_declaration         operator_declaration def=operator has="operator" @name=.*
    precedence_group_declaration operator_declaration def=precedence has="precedencegroup" \
        @name=._
    macro_declaration            function_declaration def=macro has="macro" \
        @name=.simple_identifier @body=definition:?
    import_declaration           import_declaration   import @module=identifier unit

    # bases
    inheritance_specifier        -                    @extends=inherits_from:

    # control flow
    if_statement                 if_statement         flow=if
    guard_statement              guard_statement      flow=guard
    for_statement                for_statement        flow=for
    while_statement              while_statement      flow=while
    repeat_while_statement       repeat_statement     flow=repeat
    switch_statement             switch_statement     flow=switch
    do_statement                 opaque               flow=do
    lambda_literal               closure              flow=anonymous
    computed_property|willset_didset_block - flow=anonymous

    # names
    simple_identifier|type_identifier name use

    # statements, expressions and types
    identifier                   path
    self_expression              this
    super_expression             super
    user_type                    user_type
    optional_type                optional_type
    array_type                   array_type
    dictionary_type              dictionary_type
    function_type                function_type
    tuple_type                   tuple_type
    type_annotation|metatype     first_child
    protocol_composition_type    composition
    call_expression|navigation_expression|postfix_expression member_chain step=step
    key_path_expression          key_path
    constructor_expression       constructor
    prefix_expression            prefix_expression
    as_expression                as_expression
    check_expression             truth
    await_expression             await_expression
    nil_coalescing_expression    either_child
    ternary_expression           ternary
    tuple_expression             tuple_expression
    array_literal                list_values
    dictionary_literal           dictionary_literal
    assignment                   assignment
    line_string_literal|multi_line_string_literal|raw_string_literal text_with_values
    macro_invocation             macro_call
    value_argument_label|where_keyword nothing
    additive_expression|multiplicative_expression|comparison_expression binary \
        truth=&&,||,==,!=,<,>,<=,>=,===,!==
    equality_expression|conjunction_expression|disjunction_expression binary
    infix_expression|range_expression binary
    statements                   block
    catch_block                  catch_block
    control_transfer_statement   control_transfer
    pattern                      opaque

    # literals
    integer_literal|hex_literal|bin_literal|oct_literal literal of=int
    real_literal                 literal              of=float
    boolean_literal              literal              of=bool
    nil_literal                  literal              of=none
    regex_literal                literal              of=regex

    # imports, comments and the rest
    comment|multiline_comment    skip                 comment
    attribute                    attribute            attribute
    ?|async|availability_condition|bang|catch_keyword|custom_operator skip
    default_keyword|diagnostic|directive|else|function_modifier skip
    getter_specifier|inheritance_modifier|line_str_text|member_modifier skip
    multi_line_str_text|mutation_modifier|ownership_modifier skip
    parameter_modifier|property_behavior_modifier|property_modifier skip
    setter_specifier|shebang_line|special_literal|statement_label skip
    str_escaped_char|throws|visibility_modifier skip
    """,
)
