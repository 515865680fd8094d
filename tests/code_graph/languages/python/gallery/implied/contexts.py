class Door:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def open(self):
        return 1


def pass_through():
    with Door() as door:
        return door.open()


pass_through()
