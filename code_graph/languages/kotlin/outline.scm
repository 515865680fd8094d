; declarations

(package_header (_) @name) @def.package
(class_declaration name: (_) @name) @def.class
(object_declaration name: (_) @name) @def.class
(companion_object name: (_) @name) @def.class
(companion_object !name "companion" @name) @def.class
(type_alias type: (_) @name) @def.type
(function_declaration name: (_) @name) @def.function
(secondary_constructor "constructor" @name) @def.constructor
(property_declaration (variable_declaration . (identifier) @name)) @def.variable
(class_parameter ["val" "var"] . (identifier) @name) @def.variable
(enum_entry (identifier) @name) @def.enumerator
(object_literal "object" @name (class_body) @def.class)

; bases

(class_declaration (delegation_specifiers (delegation_specifier (user_type) @extends)))
(class_declaration (delegation_specifiers
  (delegation_specifier (constructor_invocation (user_type) @extends))))
(class_declaration (delegation_specifiers
  (delegation_specifier (explicit_delegation (user_type) @extends))))
(object_declaration (delegation_specifiers (delegation_specifier (user_type) @extends)))
(object_declaration (delegation_specifiers
  (delegation_specifier (constructor_invocation (user_type) @extends))))
(object_declaration (delegation_specifiers
  (delegation_specifier (explicit_delegation (user_type) @extends))))
(companion_object (delegation_specifiers (delegation_specifier (user_type) @extends)))
(companion_object (delegation_specifiers
  (delegation_specifier (constructor_invocation (user_type) @extends))))
(companion_object (delegation_specifiers
  (delegation_specifier (explicit_delegation (user_type) @extends))))

; control flow

(if_expression) @flow.if
(for_statement) @flow.for
(while_statement) @flow.while
(do_while_statement) @flow.do
(when_expression) @flow.when
(try_expression) @flow.try
(lambda_literal) @flow.anonymous
(anonymous_function) @flow.anonymous
(anonymous_initializer) @flow.anonymous
(getter) @flow.anonymous
(setter) @flow.anonymous

; imports, comments, units

(import (qualified_identifier)) @import
(line_comment) @comment
(block_comment) @comment
(package_header) @unit
(anonymous_initializer) @unit

; names

(identifier) @use
