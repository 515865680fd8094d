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

; imports

(using_declaration) @import
