from .tools import *
from .more import *
