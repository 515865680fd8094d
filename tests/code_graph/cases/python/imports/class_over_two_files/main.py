from derived import Derived

Derived().start()
