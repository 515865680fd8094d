; declarations

(function_definition declarator: (_) @declarator body: (_) @body) @def.function
(declaration declarator: (_) @declarator) @def.variable
(field_declaration declarator: (_) @declarator) @def.field
(type_definition type: (_) @aliased declarator: (_) @declarator) @def.typedef
(type_definition
  type: (struct_specifier !name body: (_) @body) @def.struct declarator: (type_identifier) @name)
(type_definition
  type: (union_specifier !name body: (_) @body) @def.union declarator: (type_identifier) @name)
(type_definition
  type: (enum_specifier !name body: (_) @body) @def.enum declarator: (type_identifier) @name)
(struct_specifier name: (_) @name body: (_) @body) @def.struct
(union_specifier name: (_) @name body: (_) @body) @def.union
(enum_specifier name: (_) @name body: (_) @body) @def.enum
(enumerator name: (_) @name) @def.enumerator
(preproc_def name: (_) @name) @def.macro
(preproc_function_def name: (_) @name parameters: (_) @parameters) @def.macro
((expression_statement (call_expression
    function: (identifier) @defining arguments: (argument_list . (identifier) @name))
    @before_body) @def.function
  . (compound_statement) @until)

; control flow and conditional compilation

(if_statement) @flow.if
(for_statement) @flow.for
(while_statement) @flow.while
(do_statement) @flow.do
(switch_statement) @flow.switch
(preproc_ifdef) @flow.if
(preproc_if) @flow.if
(preproc_else) @flow.else
(preproc_elif) @flow.elif
(preproc_elifdef) @flow.elif

; imports, comments, units

(preproc_include path: (_) @module) @import
(comment) @comment
(linkage_specification) @unit

; names

[(identifier) (type_identifier) (field_identifier)] @use
