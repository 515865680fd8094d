def counter():
    count = 0

    def bump():
        nonlocal count
        count = count + step()
        return count

    def step():
        return 1

    return bump


tick = counter()
tick()
tick()
