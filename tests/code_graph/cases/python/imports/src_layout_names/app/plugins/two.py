from app.settings import load


class Plugin:
    def run(self):
        return load()
