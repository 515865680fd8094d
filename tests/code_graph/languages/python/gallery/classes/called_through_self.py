class Engine:
    def start(self):
        self.check()
        return self.run()

    def check(self):
        return True

    def run(self):
        return 1


Engine().start()
