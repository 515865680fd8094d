def helper():
    return 1


def main():
    return main.action()


main.action = helper
main()
