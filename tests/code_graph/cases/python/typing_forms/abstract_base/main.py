from abc import ABC, abstractmethod


class Task(ABC):
    def run(self):
        self.prepare()
        return self.work()

    @abstractmethod
    def work(self): ...

    def prepare(self):
        return 0


class Copy(Task):
    def work(self):
        return copy()


def copy():
    return 1


def start(task: Task):
    task.run()


start(Copy())
