import kit
from kit import Saw, cut
from kit import drill as bore


def work():
    cut()
    bore()
    kit.join()
    return Saw().run()


work()
