import argparse


def parse(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", type=convert)
    return parser.parse_args(argv)


def convert(text):
    return text


def main(argv=()):
    parse(argv)
    return 0


if __name__ == "__main__":
    main()
