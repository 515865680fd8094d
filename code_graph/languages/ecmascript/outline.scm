; What JavaScript and TypeScript have in common.

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

; references

(decorator (identifier) @decorator)
(decorator (call_expression function: (identifier) @decorator))
(decorator (member_expression object: (_) @qualifier property: (_) @decorator))
(decorator (call_expression
  function: (member_expression object: (_) @qualifier property: (_) @decorator)))
(call_expression function: (identifier) @call)
(call_expression
  function: (member_expression object: (_) @qualifier property: (_) @call))
(new_expression constructor: (identifier) @call)
(new_expression constructor: (member_expression object: (_) @qualifier property: (_) @call))
(assignment_expression left: (identifier) @write)
(assignment_expression left: (member_expression object: (_) @qualifier property: (_) @write))
(augmented_assignment_expression left: (identifier) @write)
(augmented_assignment_expression
  left: (member_expression object: (_) @qualifier property: (_) @write))
(update_expression argument: (identifier) @write)
(update_expression argument: (member_expression object: (_) @qualifier property: (_) @write))
(variable_declarator name: (identifier) @none)
(arrow_function parameter: (identifier) @none)
(assignment_pattern left: (identifier) @none)
(rest_pattern (identifier) @none)
(pair_pattern value: (identifier) @none)
(array_pattern (identifier) @none)
(member_expression object: [(identifier) (this)] @qualifier property: (_) @read)
(shorthand_property_identifier) @read
(identifier) @read

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
