class Singleton:
    _only = None

    def __new__(cls):
        if cls._only is None:
            cls._only = super().__new__(cls)
            cls._only.prepare()
        return cls._only

    def prepare(self):
        return 1


Singleton()
Singleton().prepare()
