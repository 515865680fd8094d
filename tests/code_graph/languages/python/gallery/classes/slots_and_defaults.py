def plain():
    return 1


class Option:
    action = plain

    def run(self):
        return type(self).action()


Option().run()
