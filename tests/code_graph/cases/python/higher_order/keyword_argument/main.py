def fetch(url, *, on_done=None):
    text = read(url)
    if on_done is not None:
        on_done(text)


def read(url):
    return url


def show(text):
    return text


fetch("a", on_done=show)
