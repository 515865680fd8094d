import tools
import tools as t
from tools import build, check as verify


tools.build()
t.check()
build()
verify()
