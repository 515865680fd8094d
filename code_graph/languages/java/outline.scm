; declarations

(package_declaration [(identifier) (scoped_identifier)] @name) @def.package
(module_declaration name: (_) @name body: (_) @body) @def.module
(class_declaration (modifiers)? @modifiers name: (_) @name body: (_) @body) @def.class
(interface_declaration (modifiers)? @modifiers name: (_) @name body: (_) @body) @def.interface
(enum_declaration (modifiers)? @modifiers name: (_) @name body: (_) @body) @def.enum
(record_declaration (modifiers)? @modifiers
  name: (_) @name parameters: (_) @parameters body: (_) @body) @def.record
(annotation_type_declaration (modifiers)? @modifiers name: (_) @name body: (_) @body) @def.annotation
(method_declaration (modifiers)? @modifiers
  type: (_) @returns name: (_) @name parameters: (_) @parameters body: (_)? @body) @def.method
(annotation_type_element_declaration (modifiers)? @modifiers
  type: (_) @returns name: (_) @name) @def.method
(constructor_declaration (modifiers)? @modifiers
  name: (_) @name parameters: (_) @parameters body: (_)? @body) @def.constructor
(compact_constructor_declaration (modifiers)? @modifiers
  name: (_) @name body: (_)? @body) @def.constructor
(field_declaration (modifiers)? @modifiers
  type: (_) @returns declarator: (variable_declarator name: (identifier) @name)) @def.field
(constant_declaration (modifiers)? @modifiers
  type: (_) @returns declarator: (variable_declarator name: (identifier) @name)) @def.constant
(record_declaration parameters: (formal_parameters
  (formal_parameter type: (_) @returns name: (_) @name) @def.field))
(object_creation_expression "new" @name type: (_) @base_type (class_body) @def.class)
(enum_constant (modifiers)? @modifiers name: (_) @name body: (_)? @body) @def.enumerator

; bases

(superclass (_) @extends)
(super_interfaces (type_list (_) @extends))
(extends_interfaces (type_list (_) @extends))

; control flow

(if_statement) @flow.if
(for_statement) @flow.for
(enhanced_for_statement) @flow.for
(while_statement) @flow.while
(do_statement) @flow.do
(switch_expression) @flow.switch
(try_statement) @flow.try
(try_with_resources_statement) @flow.try

; imports, comments, units

(import_declaration) @import
(line_comment) @comment
(block_comment) @comment
(package_declaration) @unit
(static_initializer) @unit

; names

[(identifier) (type_identifier)] @use
