class Plugin:
    def run(self):
        return 1
