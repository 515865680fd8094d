from ... import banner
from ...shared import share
from .. import near
from ..near import near as close


def work():
    banner()
    share()
    near.near()
    close()
