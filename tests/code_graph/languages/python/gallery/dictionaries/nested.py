def deep():
    return 1


table = {"outer": {"inner": deep}}
table["outer"]["inner"]()
