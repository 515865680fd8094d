class Yes:
    def say(self):
        return "y"


class No:
    def say(self):
        return "n"


def answer(good):
    if good:
        return Yes()
    else:
        return No()


answer(True).say()
answer(False).say()
