"""The sheet of Lua."""

from __future__ import annotations

from typing import Final

from code_graph.treesitter.sheet import Sheet

SHEET: Final = Sheet(
    """
    # declarations
    function_declaration         function_declaration def=function @name=name: \
        @parameters=parameters:

    # control flow
    if_statement                 -                    flow=if
    for_statement                loop                 flow=for
    while_statement              loop                 flow=while
    repeat_statement             loop                 flow=repeat
    function_definition          function             flow=anonymous

    # names
    identifier                   name                 use
    vararg_expression            name

    # statements and expressions
    block                        block
    for_numeric_clause           numbers
    for_generic_clause           iteration
    variable_declaration         local
    assignment_statement         assignment
    return_statement             returned
    function_call                chain
    dot_index_expression|method_index_expression|bracket_index_expression chain
    table_constructor            table
    binary_expression            binary
    string                       string
    goto_statement|label_statement|break_statement|empty_statement|hash_bang_line nothing

    # literals
    number                       literal              of=float
    true|false                   literal              of=bool
    nil                          literal              of=none

    # comments
    comment                      skip                 comment
    """,
    """
    (function_call name: (identifier) @keyword arguments: (arguments . (string content:
        (string_content) @given) .)) @import
    (function_call name: (identifier) @keyword arguments: (arguments . (identifier) . (string
        content: (string_content) @given))) @import
    (function_call name: (identifier) @keyword arguments: (arguments . (string content: (_) @name)
        . (function_definition))) @def.test
    (assignment_statement (variable_list . name: (_) @name) (expression_list . value:
        [(function_definition parameters: (_) @parameters) (binary_expression right:
        (function_definition parameters: (_) @parameters))])) @def.function
    (field name: (_) @name value: (function_definition parameters: (_) @parameters)) @def.method
    (assignment_statement (variable_list . name: (identifier) @name) (expression_list . value:
        (table_constructor) @held)) @def.variable
    (assignment_statement (variable_list . name: (identifier) @name) (expression_list . value:
        (_) @value)) @def.variable
    (assignment_statement (variable_list . name: (_) @name) (expression_list . value:
        (table_constructor) @held)) @object
    (field name: (_) @name value: (table_constructor) @held) @object
    """,
)
