class Engine:
    def start(self):
        return self.ignite()

    def ignite(self):
        return 1


class Car:
    def __init__(self):
        self.engine = Engine()
        self.radio = None

    def drive(self):
        self.engine.start()
        self.tune()
        return self.radio.play()

    def tune(self):
        self.radio = Radio()


class Radio:
    def play(self):
        return 1


Car().drive()
