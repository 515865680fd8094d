def lazy():
    from heavy import compute

    return compute()


def shadow():
    import heavy as compute

    return compute.other()


class Loader:
    from heavy import other as method

    def load(self):
        return Loader.method()


lazy()
shadow()
Loader().load()
