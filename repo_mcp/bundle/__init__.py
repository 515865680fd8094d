"""The excerpts that a task needs, chosen for it: searched, aligned, cited, within a budget."""
