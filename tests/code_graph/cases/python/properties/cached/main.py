from functools import cached_property


class Config:
    def get(self, name):
        return name


class App:
    @cached_property
    def config(self):
        return self.load()

    def load(self):
        return Config()

    def name(self):
        return self.config.get("name")


App().name()
