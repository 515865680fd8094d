; declarations

(module name: (_) @name) @def.module
(class name: (_) @name) @def.class
(method name: (_) @name parameters: (_)? @parameters) @def.method
(singleton_method name: (_) @name parameters: (_)? @parameters) @def.method
(assignment left: (constant) @name) @def.constant
(assignment left: (scope_resolution name: (constant) @name)) @def.constant
; `attr_reader :name`, `define_method(:name) { … }`, `alias_method :name, :other`
(call method: (identifier) @keyword
  arguments: (argument_list [(simple_symbol) (string (string_content))] @name)) @def.property
(alias name: (_) @name) @def.method
; `it "adds" do … end`
(call method: (identifier) @keyword
  arguments: (argument_list . [(string (string_content) @name) (scope_resolution) @name (constant) @name])
  block: (_) @body) @def.test

; bases

(superclass [(constant) (scope_resolution)] @extends)

; control flow

(if) @flow.if
(unless) @flow.unless
(if_modifier) @flow.if
(unless_modifier) @flow.unless
(while) @flow.while
(until) @flow.until
(for) @flow.for
(case) @flow.case
(begin) @flow.begin
(do_block) @flow.anonymous
(block) @flow.anonymous

; imports, access, comments, units

(call method: (identifier) @keyword
  arguments: (argument_list . (string . (string_content) @given .) .)) @import
(call method: (identifier) @keyword
  arguments: (argument_list . (simple_symbol) . (string . (string_content) @given .) .)) @import
(class body: (body_statement (identifier) @access))
(module body: (body_statement (identifier) @access))
(comment) @comment

; names

[(identifier) (constant)] @use
