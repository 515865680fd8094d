"""What all toolsets share: declarations, arguments, the way to an answer, cursors and text."""
