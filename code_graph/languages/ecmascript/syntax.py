"""The sheets of JavaScript and TypeScript, and what both have."""

from __future__ import annotations

from typing import Final

from code_graph.treesitter.sheet import Sheet

SHARED: Final = Sheet(
    """
    # declarations
    function_declaration         function_declaration def=function @name=name: \
        @parameters=parameters: @body=body:
    generator_function_declaration function_declaration def=function @name=name: \
        @parameters=parameters: @body=body:
    class_declaration            class_declaration    def=class @name=name: @body=body:
    method_definition            method               def=method @name=name: \
        @parameters=parameters: @body=body:
    variable_declarator          -                    def=function @name=name:identifier \
        @function=value:arrow_function,function_expression,generator_function
    &                                                 def=class @name=name:identifier \
        @body=value:class/body:
    &                                                 def=constant @name=name:identifier \
        @held=value:object
    &                                                 def=variable @name=name:identifier \
        @value=value:?
    &                                                 def=variable \
        @name=name:object_pattern/shorthand_property_identifier_pattern @value=value:
    &                                                 def=variable \
        @name=name:object_pattern/pair_pattern/value:identifier @value=value:
    &                                                 def=variable \
        @name=name:array_pattern/identifier @value=value:
    assignment_expression        assignment           def=function @name=left:identifier \
        @function=right:arrow_function,function_expression,generator_function
    &                                                 import @taken=left:member_expression \
        @given=right:identifier,object
    pair                         -                    object @name=key: @held=value:object
    &                                                 object @name=key: \
        @held=value:call_expression/arguments:arguments/object
    export_statement             export               def=function @name="default" \
        @function=value:arrow_function,function_expression,generator_function
    &                                                 def=class @name="default" \
        @body=value:class/body:
    &                                                 def=function @name="default" \
        @function=value:call_expression/arguments:arguments/.arrow_function,function_expression
    &                                                 object @name="default" @held=value:object
    &                                                 object @name="default" \
        @held=value:call_expression/arguments:arguments/object
    &                                                 import @module=source:string
    &                                                 import !source @given=export_clause
    &                                                 import has="default" \
        @given=value:identifier
    import_statement             import_              import @module=source:string

    # control flow
    if_statement                 if_                  flow=if
    for_statement                for_                 flow=for
    for_in_statement             for_in               flow=for
    while_statement              while_               flow=while
    do_statement                 while_               flow=do
    switch_statement             switch               flow=switch
    try_statement                try_                 flow=try
    arrow_function|function_expression|generator_function function_value flow=anonymous

    # names
    identifier|shorthand_property_identifier name use
    property_identifier|private_property_identifier - use

    # statements, expressions and types
    template_string              template
    this                         this
    super                        super_
    statement_block              block
    class                        class_value
    class_static_block           static_block
    member_expression|call_expression|subscript_expression chain
    new_expression               new
    import                       name
    array                        array
    object                       object
    binary_expression            binary
    unary_expression             unary
    update_expression            update
    ternary_expression           ternary
    augmented_assignment_expression augmented
    await_expression             await_
    yield_expression             yield_
    sequence_expression          sequence
    parenthesized_expression     inner
    meta_property|jsx_text|html_character_reference|jsx_namespace_name nothing
    break_statement|continue_statement|statement_identifier|hash_bang_line nothing
    jsx_element|jsx_self_closing_element element
    jsx_expression               embedded
    expression_statement         expression_statement
    lexical_declaration          lexical_declaration
    variable_declaration         variable_declaration
    return_statement             return_
    labeled_statement            labeled
    throw_statement              opaque

    # literals
    string                       literal              of=str
    number                       literal              of=float
    true|false                   literal              of=bool
    null|undefined               literal              of=none
    regex                        literal              of=regex

    # imports, comments and the rest
    comment                      skip                 comment
    decorator                    -                    attribute
    program                      -                    \
        @unit=import_statement|export_statement|lexical_declaration|variable_declaration
    html_comment                 skip
    """,
    """
    (variable_declarator name: (identifier) @name value: (call_expression arguments: (arguments
        . [(arrow_function) (function_expression)] @wrapped))) @def.function
    (variable_declarator name: (identifier) @name value: [ (call_expression arguments: (arguments
        (object) @held)) (new_expression arguments: (arguments (object) @held)) ] @value)
        @def.variable
    (assignment_expression left: (member_expression object: (_) @holder property: (_) @name)
        right: [(arrow_function) (function_expression) (generator_function)] @function)
        @def.function
    (assignment_expression left: (member_expression object: (_) @holder property: (_) @name)
        right: (class body: (_) @body)) @def.class
    (assignment_expression left: (member_expression object: (_) @holder property: (_) @name)
        right: (object) @held) @object
    (variable_declarator value: (object (pair key: [(property_identifier) (string)] @name)
        @def.property) @entries)
    (export_statement "default" value: (object (pair key: [(property_identifier) (string)] @name)
        @def.property) @entries)
    (pair key: (_) @name value: [(arrow_function) (function_expression) (generator_function)]
        @function @member) @def.method
    (function_expression name: (_) @name parameters: (_) @parameters body: (_) @body @named)
        @def.function
    (generator_function name: (_) @name parameters: (_) @parameters body: (_) @body @named)
        @def.function
    (class name: (_) @name body: (_) @body @named) @def.class
    (call_expression function: (_) @runner arguments: (arguments . [(string) (template_string)]
        @name [(arrow_function) (function_expression)] @function)) @def.test
    (variable_declarator name: (_) @bound value: (call_expression function: (identifier) @function
        arguments: (arguments . (string) @module .))) @import
    (variable_declarator name: (_) @bound value: (member_expression object: (call_expression
        function: (identifier) @function arguments: (arguments . (string) @module .)) property:
        (_) @picked)) @import
    (call_expression function: [(identifier) (import)] @function arguments: (arguments . (string)
        @module .)) @import
    (program (expression_statement (call_expression)) @unit)
    """,
)

TYPESCRIPT: Final = Sheet(
    """
    # declarations
    abstract_class_declaration   class_declaration    def=class @name=name: @body=body:
    function_signature           function_declaration def=function @name=name: \
        @parameters=parameters:
    method_signature             method               def=method @name=name: \
        @parameters=parameters:
    construct_signature          construct_signature  def=constructor @name="new" \
        @parameters=parameters:
    abstract_method_signature    method               def=method @name=name: \
        @parameters=parameters:
    public_field_definition      field                def=method @name=name: \
        @function=value:arrow_function,function_expression
    &                                                 def=field @name=name: @returns=type:? \
        @held=value:object
    &                                                 def=field @name=name: @returns=type:?
    property_signature           field                def=property @name=name: @returns=type:?
    required_parameter           -                    def=field \
        has=accessibility_modifier,"readonly",override_modifier @name=pattern:identifier \
        @returns=type:?
    optional_parameter           -                    def=field \
        has=accessibility_modifier,"readonly",override_modifier @name=pattern:identifier \
        @returns=type:?
    interface_declaration        interface            def=interface @name=name: @body=body:
    type_alias_declaration       type_alias           def=type @name=name: @aliased=value:
    enum_declaration             enum                 def=enum @name=name: @body=body:
    enum_assignment              -                    def=enumerator @name=name:
    module                       namespace            def=module @name=name: @body=body:?
    internal_module              namespace            def=namespace @name=name: @body=body:?
    export_statement             -                    import has="=" @given=identifier
    import_alias                 import_alias         import @alias=identifier @aliased_module=_

    # bases
    extends_clause               -                    @extends=value:
    implements_clause            -                    @extends=_
    extends_type_clause          -                    @extends=type:

    # names
    type_identifier              name                 use

    # statements, expressions and types
    nested_type_identifier       nested_type
    nested_identifier            nested_name
    generic_type|instantiation_expression generic_type
    predefined_type              predefined_type
    literal_type                 literal_type
    template_literal_type        template_type
    union_type                   union_type
    intersection_type            intersection_type
    array_type                   array_type
    tuple_type                   tuple_type
    function_type                function_type
    constructor_type             constructor_type
    object_type                  object_type
    type_query                   type_query
    index_type_query             keyof_type
    lookup_type                  lookup_type
    conditional_type             conditional_type
    infer_type                   infer_type
    type_predicate               type_predicate
    asserts                      asserts
    this_type                    this
    existential_type             nothing
    ambient_declaration          ambient
    call_signature               call_signature
    index_signature              index_member
    non_null_expression          chain
    as_expression|satisfies_expression cast
    type_assertion               assertion

    # imports, comments and the rest
    program                      -                    @unit=ambient_declaration
    """,
    """
    (variable_declarator name: (identifier) @name value: [(as_expression (object) @held)
        (satisfies_expression (object) @held)]) @def.constant
    (variable_declarator value: (as_expression (object (pair key: [(property_identifier) (string)]
        @name) @def.property) @entries))
    (variable_declarator value: (satisfies_expression (object (pair key: [(property_identifier)
        (string)] @name) @def.property) @entries))
    (variable_declarator name: (identifier) @name value: [ (as_expression . [(arrow_function)
        (function_expression)] @function) (as_expression . (parenthesized_expression
        [(arrow_function) (function_expression)] @function)) (satisfies_expression .
        [(arrow_function) (function_expression)] @function) (satisfies_expression .
        (parenthesized_expression [(arrow_function) (function_expression)] @function)) ])
        @def.function
    (enum_body name: (_) @name @def.enumerator)
    (import_statement (import_require_clause (identifier) @alias source: (string) @module))
        @import
    """,
    base=SHARED,
)

JAVASCRIPT: Final = Sheet(
    """
    # declarations
    field_definition             field                def=method @name=property: \
        @function=value:arrow_function,function_expression
    &                                                 def=field @name=property: \
        @held=value:object
    &                                                 def=field @name=property:

    # bases
    class_heritage               -                    \
        @extends=identifier,member_expression|call_expression/function:identifier

    # statements, expressions and types
    using_declaration            lexical_declaration
    """,
    base=SHARED,
)
