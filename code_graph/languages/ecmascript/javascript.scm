; What JavaScript's own grammar has.

(field_definition property: (_) @name
  value: [(arrow_function) (function_expression)] @function) @def.method
(field_definition property: (_) @name value: (object) @held) @def.field
(field_definition property: (_) @name) @def.field
(class_heritage [(identifier) (member_expression)] @extends)
(class_heritage (call_expression function: (identifier) @extends))
