class A:
    def __init__(self):
        self.setup()

    def setup(self):
        return 1


class B(A):
    def __init__(self):
        super().__init__()

    def setup(self):
        return super().setup()


class C(B):
    def setup(self):
        return super().setup()


C()
A()
