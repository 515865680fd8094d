; declarations

(class_declaration declaration_kind: _ @keyword name: (_) @name body: (_) @body) @def.class
(protocol_declaration name: (_) @name body: (_) @body) @def.protocol
(function_declaration "func" . name: _ @name body: (_)? @body) @def.function
(protocol_function_declaration "func" . name: _ @name) @def.function
(init_declaration name: "init" @name body: (_)? @body) @def.constructor
(deinit_declaration "deinit" @name body: (_) @body) @def.destructor
(subscript_declaration "subscript" @name (computed_property)? @body) @def.subscript
(property_declaration name: (pattern bound_identifier: (_) @name)) @def.variable
(property_declaration name: (pattern (pattern (simple_identifier) @name))) @def.variable
(protocol_property_declaration
  name: (pattern bound_identifier: (_) @name)
  (protocol_property_requirements) @body) @def.variable
(enum_entry name: (simple_identifier) @name . data_contents: (_)? @parameters) @def.enumerator
(typealias_declaration "typealias" . name: (_) @name name: (_)? @returns) @def.type
(associatedtype_declaration "associatedtype" . name: (_) @name) @def.type
(operator_declaration "operator" . _ @name) @def.operator
(precedence_group_declaration "precedencegroup" . (_) @name) @def.precedence
(macro_declaration "macro" . (simple_identifier) @name definition: (_)? @body) @def.macro

; bases

(inheritance_specifier inherits_from: (_) @extends)

; control flow

(if_statement) @flow.if
(guard_statement) @flow.guard
(for_statement) @flow.for
(while_statement) @flow.while
(repeat_while_statement) @flow.repeat
(switch_statement) @flow.switch
(do_statement) @flow.do
(lambda_literal) @flow.anonymous
(computed_property) @flow.anonymous
(willset_didset_block) @flow.anonymous

; imports, comments, units

(import_declaration (identifier) @module) @import
(comment) @comment
(multiline_comment) @comment
(attribute) @attribute
(import_declaration) @unit

; names

[(simple_identifier) (type_identifier)] @use
