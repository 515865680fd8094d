"""The sheet of Rust."""

from __future__ import annotations

from typing import Final

from code_graph.treesitter.sheet import Sheet

SHEET: Final = Sheet(
    """
    # declarations
    function_item                function_item        def=function \
        @modifiers=visibility_modifier? @modifiers=function_modifiers? @name=name: \
        @parameters=parameters: @returns=return_type:? @body=body:
    function_signature_item      function_item        def=function \
        @modifiers=visibility_modifier? @modifiers=function_modifiers? @name=name: \
        @parameters=parameters: @returns=return_type:?
    struct_item                  type_declaration     def=struct @modifiers=visibility_modifier? \
        @name=name: @body=body:field_declaration_list?
    union_item                   type_declaration     def=union @modifiers=visibility_modifier? \
        @name=name: @body=body:
    enum_item                    type_declaration     def=enum @modifiers=visibility_modifier? \
        @name=name: @body=body:
    enum_variant                 -                    def=enumerator @name=name: \
        @body=body:field_declaration_list?
    field_declaration            -                    def=field @modifiers=visibility_modifier? \
        @name=name: @returns=type:
    trait_item                   type_declaration     def=trait @modifiers=visibility_modifier? \
        @name=name: @body=body: @extends=bounds:trait_bounds/_
    impl_item                    implementation       def=impl @implementing=type: @body=body:? \
        @extends=trait:
    mod_item                     module               def=module @modifiers=visibility_modifier? \
        @name=name: @body=body:?
    const_item                   constant             def=constant \
        @modifiers=visibility_modifier? @name=name: @returns=type:
    static_item                  constant             def=variable \
        @modifiers=visibility_modifier? @name=name: @returns=type:
    type_item                    alias                def=type @modifiers=visibility_modifier? \
        @name=name: @returns=type:
    associated_type              alias                def=type @name=name:
    macro_definition             macro                def=macro @name=name: @body=macro_rule?
    use_declaration              use_declaration      import @module=argument:
    extern_crate_declaration     extern_crate         import @module=name: @alias=alias:?

    # control flow
    if_expression                if_expression        flow=if
    match_expression             match_expression     flow=match
    for_expression               for_expression       flow=for
    while_expression             while_expression     flow=while
    loop_expression              loop_expression      flow=loop

    # names
    identifier|type_identifier|field_identifier name use

    # statements, expressions and types
    shorthand_field_identifier|super|crate name
    primitive_type               builtin
    self                         this
    scoped_identifier|scoped_type_identifier path
    generic_type|generic_type_with_turbofish generic_type
    reference_type|pointer_type|dynamic_type|reference_expression last_child
    abstract_type                abstract_type
    bounded_type                 first_child
    tuple_type                   tuple_type
    unit_type|never_type         nothing
    array_type                   array_type
    function_type                function_type
    type_binding                 type_binding
    qualified_type               qualified_type
    bracketed_type|parenthesized_expression|unsafe_block|const_block pass_through
    call_expression|field_expression|index_expression|try_expression chain step=step
    await_expression|generic_function chain step=step
    struct_expression            struct_expression
    unary_expression             unary
    binary_expression            binary truth=&&,||,==,!=,<,>,<=,>=
    assignment_expression        assignment
    compound_assignment_expr|let_chain opaque
    type_cast_expression         type_cast
    tuple_expression             tuple_expression
    array_expression             array_expression
    range_expression             list_values
    closure_expression           closure
    macro_invocation             macro_call
    block                        block
    async_block                  async_block
    let_declaration              let_declaration
    let_condition                let_condition
    return_expression            return_statement
    break_expression             break_expression
    yield_expression             yielded
    expression_statement         expression_statement
    inner_attribute_item         attribute
    declaration_list             members_of

    # literals
    integer_literal              literal              of=int
    float_literal                literal              of=float
    string_literal|raw_string_literal literal of=str
    char_literal                 literal              of=char
    boolean_literal              literal              of=bool
    unit_expression              literal              of=unit

    # imports, comments and the rest
    line_comment|block_comment   skip                 comment
    attribute_item               attribute            attribute
    foreign_mod_item             foreign              unit
    continue_expression|empty_statement|extern_modifier|fragment_specifier skip
    function_modifiers|inner_doc_comment_marker|label|lifetime skip
    metavariable|mutable_specifier|remaining_field_pattern skip
    removed_trait_bound|shebang|visibility_modifier skip
    """,
)
