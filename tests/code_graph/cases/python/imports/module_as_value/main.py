import fast
import slow


def choose(flag):
    return fast if flag else slow


def run(flag):
    module = choose(flag)
    return module.work()


engines = {"fast": fast, "slow": slow}
run(True)
run(False)
engines["slow"].work()
