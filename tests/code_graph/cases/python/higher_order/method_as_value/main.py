class Timer:
    def tick(self):
        return self.beep()

    def beep(self):
        return 1


def every(action):
    action()


timer = Timer()
every(timer.tick)
bound = timer.beep
bound()
Timer.tick(timer)
