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

(anonymous_class (base_clause (name) @type))
(anonymous_class (class_interface_clause (name) @type))
(base_clause [(name) (qualified_name)] @extends)
(class_interface_clause [(name) (qualified_name)] @extends)
(use_declaration [(name) (qualified_name)] @extends)
(base_clause (name) @base)
(base_clause (qualified_name prefix: (namespace_name) @qualifier (name) @base))
(base_clause (qualified_name (name) @base))
(class_interface_clause (name) @base)
(class_interface_clause (qualified_name prefix: (namespace_name) @qualifier (name) @base))
(class_interface_clause (qualified_name (name) @base))
(use_declaration (name) @base)
(use_declaration (qualified_name prefix: (namespace_name) @qualifier (name) @base))
(use_declaration (qualified_name (name) @base))

; calls, attributes, types

(function_call_expression function: (name) @call)
(function_call_expression
  function: (qualified_name prefix: (namespace_name) @qualifier (name) @call))
(function_call_expression function: (qualified_name (name) @call))
(member_call_expression object: (_) @qualifier name: (name) @call)
(nullsafe_member_call_expression object: (_) @qualifier name: (name) @call)
(scoped_call_expression scope: (_) @qualifier name: (name) @call)
(object_creation_expression (name) @call)
(object_creation_expression
  (qualified_name prefix: (namespace_name) @qualifier (name) @call))
(object_creation_expression (qualified_name (name) @call))
(attribute (name) @decorator)
(attribute (qualified_name prefix: (namespace_name) @qualifier (name) @decorator))
(attribute (qualified_name (name) @decorator))
(named_type (name) @type)
(named_type (qualified_name prefix: (namespace_name) @qualifier (name) @type))
(named_type (qualified_name (name) @type))
(scoped_call_expression scope: (name) @type)
(scoped_call_expression
  scope: (qualified_name prefix: (namespace_name) @qualifier (name) @type))
(scoped_call_expression scope: (qualified_name (name) @type))
(scoped_property_access_expression scope: (name) @type)
(class_constant_access_expression . (name) @type)
(class_constant_access_expression
  . (qualified_name prefix: (namespace_name) @qualifier (name) @type))
(class_constant_access_expression . (qualified_name (name) @type))
(binary_expression operator: "instanceof" right: (name) @type)

; reads and writes of members

(assignment_expression
  left: (member_access_expression object: (_) @qualifier name: (name) @write))
(assignment_expression
  left: (scoped_property_access_expression
    scope: (_) @qualifier name: (variable_name (name) @write)))
(member_access_expression object: (_) @qualifier name: (name) @read)
(nullsafe_member_access_expression object: (_) @qualifier name: (name) @read)
(scoped_property_access_expression scope: (_) @qualifier name: (variable_name (name) @read))
(class_constant_access_expression . (_) @qualifier . (name) @read .)

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
