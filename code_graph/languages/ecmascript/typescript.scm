; What TypeScript adds.

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

; references

(extends_clause value: (identifier) @base)
(extends_clause value: (member_expression object: (_) @qualifier property: (_) @base))
(extends_clause value: (call_expression function: (identifier) @base))
(implements_clause (type_identifier) @base)
(implements_clause (nested_type_identifier module: (_) @qualifier name: (_) @base))
(implements_clause (generic_type name: (type_identifier) @base))
(implements_clause
  (generic_type name: (nested_type_identifier module: (_) @qualifier name: (_) @base)))
(extends_type_clause (type_identifier) @base)
(extends_type_clause (nested_type_identifier module: (_) @qualifier name: (_) @base))
(extends_type_clause (generic_type name: (type_identifier) @base))
(extends_type_clause
  (generic_type name: (nested_type_identifier module: (_) @qualifier name: (_) @base)))
(extends_clause value: (_) @extends)
(implements_clause (_) @extends)
(extends_type_clause type: (_) @extends)
(call_expression function: (non_null_expression (identifier) @call))
(call_expression function: (non_null_expression
  (member_expression object: (_) @qualifier property: (_) @call)))
(nested_type_identifier module: (_) @qualifier name: (_) @type)
(call_expression function: (parenthesized_expression (as_expression . (identifier) @call)))
(new_expression constructor: (parenthesized_expression (as_expression . (identifier) @call)))
; the grammar takes `!a!(b)` and `!a<B>(c)` for calls of what `!` gives
(call_expression function: (unary_expression argument: (identifier) @call))
(call_expression function: (unary_expression
  argument: (member_expression object: (_) @qualifier property: (_) @call)))
(call_expression
  function: (non_null_expression (unary_expression argument: (identifier) @call)))
(call_expression function: (non_null_expression
  (binary_expression right: (unary_expression argument: (identifier) @call))))
; … and `await a<B>(c)` for one of what `await` gives
(call_expression function: (await_expression (identifier) @call))
(call_expression function: (await_expression
  (member_expression object: (_) @qualifier property: (_) @call)))
(required_parameter pattern: (identifier) @none)
(optional_parameter pattern: (identifier) @none)
(index_signature name: (identifier) @none)
(type_query (identifier) @type)
(type_identifier) @type

; imports, units

(import_statement
  (import_require_clause (identifier) @alias source: (string) @module)) @import
(export_statement "=" (identifier) @given) @import
(import_alias (identifier) @alias (_) @aliased_module) @import
(program (ambient_declaration) @unit)
