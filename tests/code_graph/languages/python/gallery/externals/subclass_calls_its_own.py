import threading


class Worker(threading.Thread):
    def run(self):
        return self.step()

    def step(self):
        return 1

    def both(self):
        self.run()


Worker().both()
