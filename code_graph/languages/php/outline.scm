; declarations

(namespace_definition name: (namespace_name) @name !body) @def.package
(namespace_definition name: (namespace_name) @name body: (_) @body) @def.namespace
(class_declaration name: (_) @name body: (_) @body) @def.class
(anonymous_class "class" @name body: (_) @def.class)
(interface_declaration name: (_) @name body: (_) @body) @def.interface
(trait_declaration name: (_) @name body: (_) @body) @def.trait
(enum_declaration name: (_) @name body: (_) @body) @def.enum
(enum_case name: (_) @name) @def.enumerator
(function_definition
  name: (_) @name parameters: (_) @parameters return_type: (_)? @returns
  body: (_) @body) @def.function
(method_declaration
  name: (_) @name parameters: (_) @parameters return_type: (_)? @returns
  body: (_)? @body) @def.method
(property_declaration
  type: (_)? @returns (property_element name: (variable_name (name) @name))) @def.property
(property_promotion_parameter
  type: (_)? @returns name: (variable_name (name) @name)) @def.property
(const_declaration (const_element . (name) @name)) @def.constant
(function_call_expression function: (name) @keyword
  arguments: (arguments . (argument (string (string_content) @name)))) @def.constant

; bases

(base_clause [(name) (qualified_name)] @extends)
(class_interface_clause [(name) (qualified_name)] @extends)
(use_declaration [(name) (qualified_name)] @extends)

; control flow

(if_statement) @flow.if
(for_statement) @flow.for
(foreach_statement) @flow.foreach
(while_statement) @flow.while
(do_statement) @flow.do
(switch_statement) @flow.switch
(match_expression) @flow.match
(try_statement) @flow.try
(anonymous_function) @flow.anonymous
(arrow_function) @flow.anonymous

; imports, comments, units

(namespace_use_declaration) @import
(comment) @comment
(attribute_list) @attribute
(namespace_definition) @unit

; names

(name) @use
