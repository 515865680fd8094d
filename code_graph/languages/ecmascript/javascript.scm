; What JavaScript's own grammar has.

(field_definition property: (_) @name
  value: [(arrow_function) (function_expression)] @function) @def.method
(field_definition property: (_) @name value: (object) @held) @def.field
(field_definition property: (_) @name) @def.field
(formal_parameters (identifier) @none)
(class_heritage (identifier) @base)
(class_heritage (member_expression object: (_) @qualifier property: (_) @base))
(class_heritage (call_expression function: (identifier) @base))
