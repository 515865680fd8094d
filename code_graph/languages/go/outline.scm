; declarations

(package_clause (package_identifier) @name) @def.package
(function_declaration
  name: (_) @name parameters: (_) @parameters result: (_)? @returns body: (_)? @body) @def.function
(method_declaration receiver: (_) @receiver
  name: (_) @name parameters: (_) @parameters result: (_)? @returns body: (_)? @body) @def.method
(method_elem
  name: (_) @name parameters: (_) @parameters result: (_)? @returns) @def.method
(type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @def.struct
(type_spec name: (_) @name type: (interface_type "interface" @before_body)) @def.interface
(type_spec name: (_) @name
  type: [(type_identifier) (qualified_type) (generic_type) (pointer_type) (array_type) (slice_type)
         (map_type) (channel_type) (function_type) (parenthesized_type)] @returns) @def.type
(type_alias name: (_) @name type: (struct_type (field_declaration_list) @body)) @def.struct
(type_alias name: (_) @name type: (interface_type "interface" @before_body)) @def.interface
(type_alias name: (_) @name
  type: [(type_identifier) (qualified_type) (generic_type) (pointer_type) (array_type) (slice_type)
         (map_type) (channel_type) (function_type) (parenthesized_type)] @returns) @def.type
(field_declaration name: (_) @name type: (_) @returns) @def.field
(field_declaration !name type: (_) @embedded) @def.field
(const_spec name: (identifier) @name) @def.constant
(var_spec name: (identifier) @name) @def.variable

; bases

(field_declaration !name type: [(type_identifier) (qualified_type)] @extends)
(field_declaration !name type: (pointer_type (type_identifier) @extends))
(interface_type (type_elem . [(type_identifier) (qualified_type)] @extends .))

; control flow

(if_statement) @flow.if
(for_statement) @flow.for
(expression_switch_statement) @flow.switch
(type_switch_statement) @flow.switch
(select_statement) @flow.select

; imports, comments, units

(import_spec name: (_)? @alias path: (_) @module) @import
(comment) @comment
(source_file (const_declaration) @unit)
(source_file (var_declaration) @unit)
(source_file (type_declaration) @unit)
(import_declaration) @unit
(package_clause) @unit

; names

[(identifier) (type_identifier) (field_identifier)] @use
