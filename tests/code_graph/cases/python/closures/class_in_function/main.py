def make():
    class Local:
        def run(self):
            return helper()

    def helper():
        return 1

    return Local()


made = make()
made.run()
