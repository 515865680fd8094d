; declarations

(variable_declarator name: (identifier) @name
  value: [(as_expression (object) @held) (satisfies_expression (object) @held)])
  @def.constant
(variable_declarator
  value: (as_expression
    (object (pair key: [(property_identifier) (string)] @name) @def.property) @entries))
(variable_declarator
  value: (satisfies_expression
    (object (pair key: [(property_identifier) (string)] @name) @def.property) @entries))
(variable_declarator name: (identifier) @name
  value: [
    (as_expression . [(arrow_function) (function_expression)] @function)
    (as_expression . (parenthesized_expression [(arrow_function) (function_expression)] @function))
    (satisfies_expression . [(arrow_function) (function_expression)] @function)
    (satisfies_expression
      . (parenthesized_expression [(arrow_function) (function_expression)] @function))
  ]) @def.function
(abstract_class_declaration name: (_) @name body: (_) @body) @def.class
(function_signature name: (_) @name parameters: (_) @parameters) @def.function
(method_signature name: (_) @name parameters: (_) @parameters) @def.method
(construct_signature "new" @name parameters: (_) @parameters) @def.constructor
(abstract_method_signature name: (_) @name parameters: (_) @parameters) @def.method
(public_field_definition name: (_) @name
  value: [(arrow_function) (function_expression)] @function) @def.method
(public_field_definition name: (_) @name type: (_)? @returns value: (object) @held) @def.field
(public_field_definition name: (_) @name type: (_)? @returns) @def.field
(property_signature name: (_) @name type: (_)? @returns) @def.property
(required_parameter
  [(accessibility_modifier) "readonly" (override_modifier)] pattern: (identifier) @name
  type: (_)? @returns) @def.field
(optional_parameter
  [(accessibility_modifier) "readonly" (override_modifier)] pattern: (identifier) @name
  type: (_)? @returns) @def.field
(interface_declaration name: (_) @name body: (_) @body) @def.interface
(type_alias_declaration name: (_) @name value: (_) @aliased) @def.type
(enum_declaration name: (_) @name body: (_) @body) @def.enum
(enum_body name: (_) @name @def.enumerator)
(enum_assignment name: (_) @name) @def.enumerator
(module name: (_) @name body: (_)? @body) @def.module
(internal_module name: (_) @name body: (_)? @body) @def.namespace

; bases

(extends_clause value: (_) @extends)
(implements_clause (_) @extends)
(extends_type_clause type: (_) @extends)
; imports, units

(import_statement
  (import_require_clause (identifier) @alias source: (string) @module)) @import
(export_statement "=" (identifier) @given) @import
(import_alias (identifier) @alias (_) @aliased_module) @import
(program (ambient_declaration) @unit)

; names

(type_identifier) @use
