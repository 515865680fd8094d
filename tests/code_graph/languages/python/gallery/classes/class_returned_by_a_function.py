def make():
    class Local:
        def act(self):
            return 1

    return Local


kind = make()
kind().act()
