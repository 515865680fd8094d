; declarations

(function_declaration name: (_) @name parameters: (_) @parameters body: (_) @body) @def.function
(generator_function_declaration
  name: (_) @name parameters: (_) @parameters body: (_) @body) @def.function
(class_declaration name: (_) @name body: (_) @body) @def.class
(method_definition name: (_) @name parameters: (_) @parameters body: (_) @body) @def.method
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)] @function) @def.function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @def.class
(variable_declarator name: (identifier) @name
  value: (call_expression
    arguments: (arguments . [(arrow_function) (function_expression)] @wrapped))) @def.function
(variable_declarator name: (identifier) @name value: (object) @held) @def.constant
(variable_declarator name: (identifier) @name
  value: [
    (call_expression arguments: (arguments (object) @held))
    (new_expression arguments: (arguments (object) @held))
  ] @value) @def.variable
(variable_declarator name: (identifier) @name value: (_)? @value) @def.variable
(variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @name) value: (_) @value)
  @def.variable
(variable_declarator
  name: (object_pattern (pair_pattern value: (identifier) @name)) value: (_) @value) @def.variable
(variable_declarator name: (array_pattern (identifier) @name) value: (_) @value) @def.variable
(assignment_expression left: (identifier) @name
  right: [(arrow_function) (function_expression) (generator_function)] @function) @def.function
(assignment_expression left: (member_expression object: (_) @holder property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)] @function) @def.function
(assignment_expression left: (member_expression object: (_) @holder property: (_) @name)
  right: (class body: (_) @body)) @def.class
(assignment_expression left: (member_expression object: (_) @holder property: (_) @name)
  right: (object) @held) @object
(variable_declarator
  value: (object (pair key: [(property_identifier) (string)] @name) @def.property) @entries)
(export_statement "default"
  value: (object (pair key: [(property_identifier) (string)] @name) @def.property) @entries)
(pair key: (_) @name value: (object) @held) @object
(pair key: (_) @name value: (call_expression arguments: (arguments (object) @held))) @object
(pair key: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)] @function @member)
  @def.method
(export_statement "default" @name
  value: [(arrow_function) (function_expression) (generator_function)] @function) @def.function
(export_statement "default" @name value: (class body: (_) @body)) @def.class
(export_statement "default" @name
  value: (call_expression
    arguments: (arguments . [(arrow_function) (function_expression)] @function))) @def.function
(export_statement "default" @name value: (object) @held) @object
(export_statement "default" @name
  value: (call_expression arguments: (arguments (object) @held))) @object
(function_expression
  name: (_) @name parameters: (_) @parameters body: (_) @body @named) @def.function
(generator_function
  name: (_) @name parameters: (_) @parameters body: (_) @body @named) @def.function
(class name: (_) @name body: (_) @body @named) @def.class
(call_expression function: (_) @runner
  arguments: (arguments . [(string) (template_string)] @name
    [(arrow_function) (function_expression)] @function)) @def.test

; control flow

(if_statement) @flow.if
(for_statement) @flow.for
(for_in_statement) @flow.for
(while_statement) @flow.while
(do_statement) @flow.do
(switch_statement) @flow.switch
(try_statement) @flow.try
(arrow_function) @flow.anonymous
(function_expression) @flow.anonymous
(generator_function) @flow.anonymous

; imports, comments, units

(import_statement source: (string) @module) @import
(export_statement source: (string) @module) @import
(export_statement !source (export_clause) @given) @import
(export_statement "default" value: (identifier) @given) @import
(assignment_expression left: (member_expression) @taken right: [(identifier) (object)] @given)
  @import
(variable_declarator name: (_) @bound
  value: (call_expression
    function: (identifier) @function arguments: (arguments . (string) @module .))) @import
(variable_declarator name: (_) @bound
  value: (member_expression
    object: (call_expression
      function: (identifier) @function arguments: (arguments . (string) @module .))
    property: (_) @picked)) @import
(call_expression
  function: [(identifier) (import)] @function arguments: (arguments . (string) @module .)) @import
(comment) @comment
(decorator) @attribute
(program (import_statement) @unit)
(program (export_statement) @unit)
(program (lexical_declaration) @unit)
(program (variable_declaration) @unit)
(program (expression_statement (call_expression)) @unit)

; names

[(identifier) (property_identifier) (private_property_identifier) (shorthand_property_identifier)] @use
