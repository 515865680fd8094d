def build():
    return check()


def check():
    return True
