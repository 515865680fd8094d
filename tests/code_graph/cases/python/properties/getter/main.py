class Engine:
    def start(self):
        return 1


class Car:
    def __init__(self):
        self._engine = Engine()

    @property
    def engine(self):
        return self._engine

    def drive(self):
        return self.engine.start()


Car().drive()
Car().engine.start()
