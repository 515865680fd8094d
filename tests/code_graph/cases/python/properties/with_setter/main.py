class Config:
    def load(self):
        return 1


class App:
    @property
    def config(self):
        return Config()

    @config.setter
    def config(self, value):
        self.last = value

    @config.deleter
    def config(self):
        pass

    def run(self):
        return self.config.load()


class Other(App):
    @App.config.setter
    def config(self, value):
        self.other = value


App().run()
Other().config.load()
