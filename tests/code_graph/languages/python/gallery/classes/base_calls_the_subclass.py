class Task:
    def go(self):
        return self.step()


class Print(Task):
    def step(self):
        return "print"


Print().go()
