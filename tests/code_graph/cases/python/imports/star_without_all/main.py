from first import *
from second import *

common()
only_first()
only_second()
