; declarations

(namespace_declaration name: (_) @name body: (_) @body) @def.namespace
(file_scoped_namespace_declaration name: (_) @name) @def.namespace
(class_declaration name: (_) @name (parameter_list)? @parameters body: (_)? @body) @def.class
(struct_declaration name: (_) @name (parameter_list)? @parameters body: (_)? @body) @def.struct
(record_declaration name: (_) @name (parameter_list)? @parameters body: (_)? @body) @def.record
(record_declaration
  (parameter_list (parameter type: (_) @returns name: (_) @name) @def.property))
(interface_declaration name: (_) @name body: (_) @body) @def.interface
(enum_declaration name: (_) @name body: (_) @body) @def.enum
(enum_member_declaration name: (_) @name) @def.enumerator
(delegate_declaration
  type: (_) @returns name: (_) @name parameters: (_) @parameters) @def.delegate
(method_declaration
  returns: (_) @returns name: (_) @name parameters: (_) @parameters body: (_)? @body) @def.method
(constructor_declaration
  name: (_) @name parameters: (_) @parameters body: (_)? @body) @def.constructor
(destructor_declaration
  name: (_) @name parameters: (_) @parameters body: (_)? @body) @def.destructor
(property_declaration
  type: (_) @returns name: (_) @name accessors: (_)? @body value: (_)? @value) @def.property
(indexer_declaration
  type: (_) @returns "this" @name parameters: (_) @parameters
  accessors: (_)? @body value: (_)? @value) @def.indexer
(operator_declaration
  type: (_) @returns "operator" @name operator: _ @operator parameters: (_) @parameters
  body: (_)? @body) @def.operator
(conversion_operator_declaration
  "operator" @name type: (_) @returns @operator parameters: (_) @parameters
  body: (_)? @body) @def.operator
(event_declaration type: (_) @returns name: (_) @name accessors: (_)? @body) @def.event
(event_field_declaration
  (variable_declaration type: (_) @returns (variable_declarator name: (_) @name))) @def.event
(field_declaration
  (variable_declaration type: (_) @returns (variable_declarator name: (_) @name))) @def.field
(local_function_statement
  type: (_) @returns name: (_) @name parameters: (_) @parameters body: (_)? @body) @def.function

; references

(base_list [(identifier) (generic_name) (qualified_name) (alias_qualified_name)] @extends)
(primary_constructor_base_type type: (_) @extends)

; control flow

(if_statement) @flow.if
(for_statement) @flow.for
(foreach_statement) @flow.foreach
(while_statement) @flow.while
(do_statement) @flow.do
(switch_statement) @flow.switch
(try_statement) @flow.try
(lock_statement) @flow.lock
(using_statement) @flow.using
(lambda_expression) @flow.anonymous
(anonymous_method_expression) @flow.anonymous

; imports, comments, units

(using_directive name: (identifier) @name "=" (_) @returns) @def.using

(using_directive) @import
(extern_alias_directive name: (_) @alias) @import
(comment) @comment
(attribute_list) @attribute
(using_directive) @unit
(global_statement) @unit

; names

(identifier) @use
