class Outer:
    class Inner:
        def run(self):
            return Outer.Inner.make()

        @staticmethod
        def make():
            return 1

    def build(self):
        return self.Inner()


Outer().build().run()
Outer.Inner().run()
