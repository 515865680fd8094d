def work():
    return 1


def done():
    return 2


def clean():
    return 3


def run():
    try:
        work()
    except ValueError:
        clean()
    else:
        done()
    finally:
        clean()


run()
