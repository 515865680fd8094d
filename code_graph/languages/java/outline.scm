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
(superclass (type_identifier) @base)
(superclass (generic_type (type_identifier) @base))
(superclass (scoped_type_identifier (_) @qualifier (type_identifier) @base .))
(superclass (generic_type (scoped_type_identifier (_) @qualifier (type_identifier) @base .)))
(super_interfaces (type_list (type_identifier) @base))
(super_interfaces (type_list (generic_type (type_identifier) @base)))
(super_interfaces (type_list
  (scoped_type_identifier (_) @qualifier (type_identifier) @base .)))
(super_interfaces (type_list
  (generic_type (scoped_type_identifier (_) @qualifier (type_identifier) @base .))))
(extends_interfaces (type_list (type_identifier) @base))
(extends_interfaces (type_list (generic_type (type_identifier) @base)))
(extends_interfaces (type_list
  (scoped_type_identifier (_) @qualifier (type_identifier) @base .)))
(extends_interfaces (type_list
  (generic_type (scoped_type_identifier (_) @qualifier (type_identifier) @base .))))

; calls, annotations, types

(method_invocation object: (_) @qualifier name: (_) @call)
(method_invocation !object name: (_) @call)
(object_creation_expression type: (type_identifier) @call)
(object_creation_expression type: (generic_type (type_identifier) @call))
(object_creation_expression
  type: (scoped_type_identifier (_) @qualifier (type_identifier) @call .))
(object_creation_expression
  type: (generic_type (scoped_type_identifier (_) @qualifier (type_identifier) @call .)))
(explicit_constructor_invocation constructor: (_) @call)
(method_reference . (_) @qualifier "::" . (identifier) @read)
(marker_annotation name: (identifier) @decorator)
(marker_annotation name: (scoped_identifier scope: (_) @qualifier name: (_) @decorator))
(annotation name: (identifier) @decorator)
(annotation name: (scoped_identifier scope: (_) @qualifier name: (_) @decorator))
(scoped_type_identifier (_) @qualifier (type_identifier) @type .)
(type_identifier) @type

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
