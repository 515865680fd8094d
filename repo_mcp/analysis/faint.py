"""Words that a question or message may have whatever it is about: they count, but less.

Rare in code, such words would otherwise tell more than the names of what is spoken of.
"""

from __future__ import annotations

from typing import Final

# what ties a sentence together
_SENTENCE: Final = """
    about after again against also although am any around because been before being between both but
    cannot could did do does doing done during each even every few had has having he here her him
    his how however i instead into its itself just like longer many me more most much must my
    neither nor now off once one only other others our out over own previously rather really same
    seem seems she should since so some still such than their them themselves then there these they
    those though through thus too toward under until up upon very via was were what whatever where
    whether which while who whom whose why within without would
"""
# what is done to any code, and what goes wrong with any
_CHANGE: Final = """
    actually add added adding addition additional adds allow allowed allowing allows attacker
    attackers avoid avoided avoiding avoids backport backported bug bugs cause caused causes causing
    commit commits correct corrected correctly crafted crash crashed crashes crashing denial ensure
    ensures fix fixed fixes fixing happen happens improper improperly improve improved improves
    incorrect incorrectly introduce introduced issue issues lead leading leads made make makes
    making missing need needed needs patch patched patches possible possibly potential potentially
    prevent prevented preventing prevents problem problems proper properly result resulting results
    revert reverts upstream vulnerabilities vulnerability vulnerable wrong
"""
FAINT: Final = frozenset((_SENTENCE + _CHANGE).split())
