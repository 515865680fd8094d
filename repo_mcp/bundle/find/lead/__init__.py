"""Leads: the places that a question asks for by itself, as the symbol graph knows them.

Doors: `parse_lead_question` and `find_lead` of `answer`. An answer is of what a type demands
(`of_types`), of a setting (`of_settings`), or of what runs (`of_flow`): the functions that words
may mean (`likely_functions`), the way between those that are named (`named_way`), or the likeliest
flow (`flow`), told in lines (`flow_lines`).
"""
