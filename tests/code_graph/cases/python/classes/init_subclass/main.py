class Plugin:
    plugins = []

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.register()

    @classmethod
    def register(cls):
        Plugin.plugins.append(cls)

    def run(self):
        return 0


class Csv(Plugin):
    def run(self):
        return 1


class Xml(Plugin):
    def run(self):
        return 2


def run_all():
    for plugin in Plugin.plugins:
        plugin().run()


run_all()
