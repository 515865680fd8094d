class Level:
    def __init__(self):
        self._value = 0

    @property
    def value(self):
        return self.read()

    @value.setter
    def value(self, new):
        self.write(new)

    def read(self):
        return self._value

    def write(self, new):
        self._value = new


level = Level()
level.value = 2
print(level.value)
