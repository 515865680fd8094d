"""The sheet of Ruby."""

from __future__ import annotations

from typing import Final

from code_graph.treesitter.sheet import Sheet

SHEET: Final = Sheet(
    """
    # declarations
    module                       type_body            def=module @name=name:
    &                                                 @access=body:body_statement/identifier
    class                        type_body            def=class @name=name:
    &                                                 @access=body:body_statement/identifier
    method                       method               def=method @name=name: \
        @parameters=parameters:?
    singleton_method             method               def=method @name=name: \
        @parameters=parameters:?
    assignment                   assignment           def=constant @name=left:constant
    &                                                 def=constant \
        @name=left:scope_resolution/name:constant
    alias                        alias                def=method @name=name:

    # bases
    superclass                   -                    @extends=constant,scope_resolution

    # control flow
    if|if_modifier               choice               flow=if
    unless|unless_modifier       choice               flow=unless
    while                        loop                 flow=while
    until                        loop                 flow=until
    for                          for_loop             flow=for
    case                         choice               flow=case
    begin                        body                 flow=begin
    do_block|block               block                flow=anonymous

    # names
    identifier                   identifier           use
    constant                     name                 use

    # statements, expressions and types
    singleton_class              type_body
    lambda                       block
    string|subshell|delimited_symbol|heredoc_body template
    conditional|elsif|case_match|rescue_modifier choice
    while_modifier|until_modifier loop
    body_statement|block_body|then|else|do|ensure|parenthesized_statements body
    instance_variable|class_variable object_variable
    scope_resolution             scope_resolution
    self                         self_object
    call                         call
    super                        super_call
    yield                        yielded
    return                       returned
    operator_assignment          operator_assignment
    element_reference            element
    binary                       binary
    unary|pair                   opaque
    array                        array
    hash                         hash
    rescue                       rescue
    regex                        template_regex
    global_variable|undef        nothing

    # literals
    integer                      literal              of=int
    float                        literal              of=float
    true|false                   literal              of=bool
    nil                          literal              of=none
    simple_symbol|hash_key_symbol literal of=symbol
    character                    literal              of=str
    symbol_array                 literal              of=symbols
    string_array                 literal              of=strings

    # imports, comments and the rest
    comment                      skip                 comment
    escape_sequence|heredoc_content|string_content|uninterpreted skip
    """,
    """
    (call method: (identifier) @keyword arguments: (argument_list [(simple_symbol) (string
        (string_content))] @name)) @def.property
    (call method: (identifier) @keyword arguments: (argument_list . [(string (string_content)
        @name) (scope_resolution) @name (constant) @name]) block: (_) @body) @def.test
    (call method: (identifier) @keyword arguments: (argument_list . (string . (string_content)
        @given .) .)) @import
    (call method: (identifier) @keyword arguments: (argument_list . (simple_symbol) . (string .
        (string_content) @given .) .)) @import
    """,
)
