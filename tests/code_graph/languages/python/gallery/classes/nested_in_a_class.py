class Outer:
    class Inner:
        def act(self):
            return 1

    def build(self):
        return self.Inner()


Outer().build().act()
