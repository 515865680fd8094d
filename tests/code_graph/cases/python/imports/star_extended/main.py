from parts import *

first()
second()
