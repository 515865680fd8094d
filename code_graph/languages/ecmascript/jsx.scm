; Elements: one that is written like a name of a class or function calls it.

(jsx_opening_element name: (identifier) @element)
(jsx_self_closing_element name: (identifier) @element)
(jsx_closing_element name: (identifier) @none)
(jsx_closing_element name: (member_expression object: (identifier) @none))
(jsx_closing_element name: (member_expression property: (_) @none))
(jsx_opening_element name: (member_expression object: (_) @qualifier property: (_) @call))
(jsx_self_closing_element name: (member_expression object: (_) @qualifier property: (_) @call))
