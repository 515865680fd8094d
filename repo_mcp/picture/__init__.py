"""Pictures of graphs: boxes and arrows in layers, as SVG without any program's help, and as DOT.

`model` is what a picture shows, `layers` and `order` decide where boxes stand among each other,
`layout` gives coordinates, `svg` and `dot` write them. Equal pictures are equal bytes. Nothing here
knows of symbols.
"""
