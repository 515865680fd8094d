"""Pages with code in marks, which a server fills: ERB, EJS, Jinja, Handlebars, Razor."""
