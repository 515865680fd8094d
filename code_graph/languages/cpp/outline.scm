; What C++ adds to the patterns of C, which are read after these: what is said here goes first.

; declarations

(class_specifier name: (_) @name body: (_) @body) @def.class
(namespace_definition name: (_) @name body: (_) @body) @def.namespace
(namespace_alias_definition name: (_) @name) @def.using
(alias_declaration name: (_) @name type: (_) @returns) @def.type
(concept_definition name: (_) @name) @def.concept
(function_definition declarator: (_) @declarator (default_method_clause)) @def.function
(function_definition declarator: (_) @declarator (delete_method_clause)) @def.function
(function_definition declarator: (_) @declarator (try_statement) @body) @def.function
(template_declaration) @wrap
(friend_declaration (declaration)) @skip
(access_specifier) @access

; bases

(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @extends)
(base_class_clause (type_identifier) @base)
(base_class_clause (template_type name: (type_identifier) @base))
(base_class_clause (qualified_identifier scope: (_) @qualifier name: (type_identifier) @base))
(base_class_clause
  (qualified_identifier scope: (_) @qualifier name: (template_type name: (_) @base)))

; calls and types

(call_expression function: (qualified_identifier scope: (_) @qualifier name: (identifier) @call))
(call_expression function: (qualified_identifier
  scope: (_) @qualifier name: (template_function name: (_) @call)))
(call_expression function: (qualified_identifier scope: (_) @qualifier
  name: (qualified_identifier name: (identifier) @call)))
(call_expression function: (template_function name: (identifier) @call))
(call_expression function: (field_expression
  argument: (_) @qualifier field: (template_method name: (_) @call)))
(new_expression type: (type_identifier) @call)
(new_expression type: (template_type name: (_) @call))
(new_expression type: (qualified_identifier scope: (_) @qualifier name: (type_identifier) @call))
(qualified_identifier scope: (_) @qualifier name: (type_identifier) @type)
(qualified_identifier scope: (_) @qualifier name: (template_type name: (_) @type))

; imports

(using_declaration) @import
