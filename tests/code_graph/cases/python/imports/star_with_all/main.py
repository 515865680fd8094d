from library import *


def hidden():
    return "mine"


public()
hidden()
_private_named()
