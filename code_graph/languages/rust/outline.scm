; declarations

(function_item (visibility_modifier)? @modifiers (function_modifiers)? @modifiers
  name: (_) @name parameters: (_) @parameters return_type: (_)? @returns
  body: (_) @body) @def.function
(function_signature_item (visibility_modifier)? @modifiers (function_modifiers)? @modifiers
  name: (_) @name parameters: (_) @parameters return_type: (_)? @returns) @def.function
(struct_item (visibility_modifier)? @modifiers
  name: (_) @name body: (field_declaration_list)? @body) @def.struct
(union_item (visibility_modifier)? @modifiers name: (_) @name body: (_) @body) @def.union
(enum_item (visibility_modifier)? @modifiers name: (_) @name body: (_) @body) @def.enum
(enum_variant name: (_) @name body: (field_declaration_list)? @body) @def.enumerator
(field_declaration (visibility_modifier)? @modifiers
  name: (_) @name type: (_) @returns) @def.field
(trait_item (visibility_modifier)? @modifiers name: (_) @name body: (_) @body) @def.trait
(impl_item type: (_) @implementing body: (_)? @body) @def.impl
(mod_item (visibility_modifier)? @modifiers name: (_) @name body: (_)? @body) @def.module
(const_item (visibility_modifier)? @modifiers name: (_) @name type: (_) @returns) @def.constant
(static_item (visibility_modifier)? @modifiers name: (_) @name type: (_) @returns) @def.variable
(type_item (visibility_modifier)? @modifiers name: (_) @name type: (_) @returns) @def.type
(associated_type name: (_) @name) @def.type
(macro_definition name: (_) @name (macro_rule)? @body) @def.macro

; bases

(impl_item trait: (_) @extends)
(trait_item bounds: (trait_bounds (_) @extends))

; control flow

(if_expression) @flow.if
(match_expression) @flow.match
(for_expression) @flow.for
(while_expression) @flow.while
(loop_expression) @flow.loop

; imports, comments, units

(use_declaration argument: (_) @module) @import
(extern_crate_declaration name: (_) @module alias: (_)? @alias) @import
(line_comment) @comment
(block_comment) @comment
(attribute_item) @attribute
(foreign_mod_item) @unit

; names

[(identifier) (type_identifier) (field_identifier)] @use
