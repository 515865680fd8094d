def banner():
    return "top"
