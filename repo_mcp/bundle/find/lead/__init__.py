"""Leads: the places that a question asks for by itself, as the symbol graph knows them.

Doors: `asks_for_lead` and `find_lead` of `answer`. An answer is of what a type demands
(`of_types`), of a setting (`of_settings`), or of what runs (`of_flow`, with `repo_mcp.flow`);
`repo_mcp.question.kinds` tells which of them a text asks for.
"""
