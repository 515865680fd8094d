; declarations

(package_clause name: (package_identifier) @name) @def.package
(package_object name: (_) @name) @def.class
(class_definition name: (_) @name) @def.class
(object_definition name: (_) @name) @def.class
(trait_definition name: (_) @name) @def.trait
(enum_definition name: (_) @name) @def.enum
(full_enum_case name: (_) @name) @def.class
(simple_enum_case name: (_) @name) @def.enumerator
(given_definition name: (_) @name body: (with_template_body)) @def.class
(given_definition name: (_) @name) @def.constant
(type_definition name: (_) @name) @def.type
(function_definition name: (_) @name) @def.function
(function_declaration name: (_) @name) @def.function
(val_definition pattern: (identifier) @name) @def.constant
(val_definition pattern: (identifiers (identifier) @name @def.constant))
(val_definition pattern: (tuple_pattern (identifier) @name @def.constant))
(val_definition pattern: (case_class_pattern pattern: (identifier) @name @def.constant))
(val_declaration name: (identifier) @name @def.constant)
(var_definition pattern: (identifier) @name) @def.variable
(var_definition pattern: (identifiers (identifier) @name @def.variable))
(var_declaration name: (identifier) @name @def.variable)
(class_parameter "val" name: (identifier) @name) @def.constant
(class_parameter "var" name: (identifier) @name) @def.variable
(class_definition "case" class_parameters: (class_parameters
  (class_parameter name: (identifier) @name) @def.constant))
(full_enum_case class_parameters: (class_parameters
  (class_parameter name: (identifier) @name) @def.constant))
(instance_expression "new" @name (template_body) @def.class)

; bases

(extends_clause (type_identifier) @extends)
(extends_clause (generic_type) @extends)
(extends_clause (stable_type_identifier) @extends)
(extends_clause (compound_type) @extends)

; control flow

(if_expression) @flow.if
(for_expression) @flow.for
(while_expression) @flow.while
(do_while_expression) @flow.do
(match_expression) @flow.match
(try_expression) @flow.try
(lambda_expression) @flow.anonymous
(case_block) @flow.anonymous

; imports, comments, units

(import_declaration) @import
(comment) @comment
(block_comment) @comment
(package_clause) @unit

; names

[(identifier) (type_identifier) (operator_identifier)] @use
