class Base:
    def run(self):
        return 1


class Child(Base):
    def run(self):
        return 2


def start():
    job: Base = Child()
    return job.run()


start()
