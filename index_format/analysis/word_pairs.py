"""Pairs of common words side by side: terms that find phrases of such words.

Many chunks hold each of two common words, few hold both with only blanks between them. So each two
words of a list that stand like that are a term of a chunk, in a field of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from index_format.analysis.words import terms_of_word
from index_format.model import Tokens
from index_format.native import NATIVE, WORD_CHARACTERS, Native, plain_pairs
from index_format.tuples import NamedTuple

if TYPE_CHECKING:
    import numpy.typing as npt

I64: TypeAlias = "npt.NDArray[np.int64]"
U32: TypeAlias = "npt.NDArray[np.uint32]"

# part of the index's signature: raise it when pairs change
VERSION: Final = 1
_WORD: Final = re.compile(WORD_CHARACTERS)
_BEYOND_ASCII: Final = re.compile(r"[^\x00-\x7f]+")
# belongs to words that are not listed
_LETTER: Final = "\xff"
# stands for a pair without a number


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Words that are often beside others in sources of 14 languages and in documentation: the thousand
# whose share of windows of 40 lines is highest, as the geometric mean of the best three of these.
_LISTED: Final = _split(
    """
    0 1 10 11 12 15 16 2 200 2017 2024 3 32 4 5 6 64 7 8 9 _ a able about above abstract
    accept access according action active actual actually add added additional addr address
    after again against agreed algorithm alias all allocate allocated allocates allow allowed
    allows already also always amount an and annotation another any apache api app applicable
    application applications apply are args argument arguments arising array arrays as assert
    associated async asynchronous at attribute attributes author authors auto automatically
    available avoid await b back bad bar base based be because been before begin behavior
    being below between binary bit bits block body bool boolean both branch break buffer
    buffers build builder but by byte bytes c cache call callback callbacks called caller
    calling calls can cancel cannot capability case cases category cause caused certificate
    change changed changes channel char character characters check checks class classes clear
    clears client clock code collection collections com command commands commit common
    compatibility compiler complete completed completes completion compliance condition
    conditions config configuration configure configured connection const constructor
    constructs consumer contain containing contains content contents context continue contract
    contributors control controller convert converted copies copy copying copyright core
    correct correctly corresponding could count counter cpu create created creates creating
    ctx current currently custom d damage damages data date db deal debug declare decoder def
    default defaults define defined delay delete deleted dependencies depending deprecated
    derived describe description descriptor destination details detect determine dev
    development device different dir direct directly directories directory disable disabled
    disk display distributed distribution do document documentation does doesn don done double
    down driver drop due during e each early edit either element elements elif else empty
    enable enabled encoding end endif ensure entries entry enum env equal equals equivalent
    err error errors even event events every everything ex example except exception exceptions
    execute executed execution exist existing exists expect expected explicit explicitly
    export express expression extends extension extensions f factory fail failed fails failure
    false fd feature features fetch field fields file filename files filesystem filter filters
    final find finished first fitness fixed flag flags float flow flush fmt fn following foo
    for force form format forms found foundation frame free frequency from front full fun func
    function functions future general generate generated generator generic get gets git given
    global go goto governing group guard h handle handler handling has hash hashcode have
    header headers hello helper helpers here high holders host how however html http https i
    id if ignore ignored immediately impl implement implementation implemented implements
    implied import in include included includes including index indicates info information
    init initial initialize inline inner input insert inside install installed instance
    instanceof instead int integer interface internal interrupt into invalid invoked io ip is
    issue it item items iterator its itself j java json just k keep kernel key keys kind know
    l language large last later law layout least left len length less let level liability
    liable library license licensed like limit limitations limited line lines link linux list
    load loaded local location lock log logger logging long loop loss low m made main make
    makes many map mapped mapping marked mask match matches matching max maximum may means
    member memory merchantability message messages metadata method methods metrics might
    missing mock mode modified module more most move msg much multiple must n name names
    namespace necessary need needed needs negative neither network never new next nil no node
    nodes non none nor normal not note nothing notice now null number numbers o obj object
    objects obtain occurs of off offset ok old on once one only open operation operations
    operator optimizations option optional options opts or order org original os other
    otherwise our out output over override own owner ownership p package page pages pairs
    parallel param parameter parameters params parent parse parsed part particular pass passed
    passing path paths pattern payload pending per perform permission permissions permitted
    place platform please plugin plugins point pointer points policy port possibility possible
    post power predicate prefix present previous prior private problem process processing
    project promise properly properties property protected proto protocol provide provided
    provider provides proxy public purpose put q query queue r raise raises range rate rather
    re read reader reading readonly reads real reason receive received record ref reference
    region register registered registers reject related relative release remove removed render
    rendered replaced repo repository represents req request requested requests require
    required requires res reserved reset resolve resource resources response result results
    ret retain retry return returned returns right rights root route rule run running runs
    runtime s safe same sample schema scope sealed second section see select self send sent
    sequence serial serialization series server service services set sets setting settings
    setup shall shared shift short should show side signal simple simply since single size
    size_t small so socket software some something source sources space special specific
    specified specify srv ssl stack standard start state static status std still stop storage
    store str stream strict string stringbuilder strings struct structure subject subsequent
    success such super supplied support supported supports sure suspend switch symbol sync
    synchronous system t table tag tags take takes target task tasks template test testing
    tests text than that the their them then theory there these they things third this those
    thread three through throw thrown throws thus time timeout timer times tls to token too
    tool top tort tostring trace transform traverse tree true try two txt type typealias
    typeerror typeof types u u32 u8 uint undefined under underlying union unique unknown
    unless unsigned until up update updated updates uri url us usage use used useful user uses
    using utils v val valid value values var variable verify version versions very vi via view
    virtual visitor void w wait waiting want warn warning warranties was way we well were what
    when where whether which while will window windows with within without won word work works
    world would write writes writing written wrong x y yaml yet yield you your zero
    """
)
COMMON_WORDS: Final = frozenset(_LISTED)


class PhraseTerms(NamedTuple):
    """The terms of a chunk with a phrase in its body: pairs, and the words in none of them."""

    pairs: tuple[str, ...]
    words: tuple[str, ...]


def terms_of_phrase(text: str, *, pairs_too: bool = True) -> PhraseTerms:
    """The terms by which a phrase is found; its words alone without `pairs_too`."""
    words = list(_WORD.finditer(text))
    pairs: dict[str, None] = {}
    paired: set[int] = set()
    for at, (one, other) in enumerate(pairwise(words) if pairs_too else ()):
        pair = one.group().lower(), other.group().lower()
        if COMMON_WORDS.issuperset(pair) and text[one.end() : other.start()].isspace():
            pairs[" ".join(pair)] = None
            paired.update((at, at + 1))
    alone = (terms_of_word(word.group()) for at, word in enumerate(words) if at not in paired)
    return PhraseTerms(tuple(pairs), tuple(dict.fromkeys(terms[0] for terms in alone if terms)))


class PairCounter:
    """Lists the pairs in stretches of text, by the numbers that a vocabulary gives them."""

    def __init__(self, native: Native | None = NATIVE) -> None:
        """List them with compiled code, or several times slower without."""
        self._native = native
        self._words = tuple(word.encode() for word in _LISTED)
        # a pair's number and 1, or 0: zeros take memory only where pairs are found
        self._numbers: U32 = np.zeros(len(_LISTED) ** 2, dtype=np.uint32)

    def count(
        self,
        texts: Sequence[tuple[str | bytes, I64]],
        number_terms: Callable[[list[bytes]], list[int]],
    ) -> list[Tokens]:
        """The pairs of each stretch of each text, each once; bytes are ASCII text.

        Stretches are begins and ends; a pair belongs to those in which its first word begins.
        `number_terms` gives terms their numbers; it is asked once for each.
        """
        find = plain_pairs if self._native is None else self._native.find_pairs
        given = tuple((plain_text(text), stretches.tobytes()) for text, stretches in texts)
        data, ends = find(self._words, given)
        pairs = self._numbered(np.frombuffer(data, dtype=np.uint32), number_terms)
        return [Tokens(pairs[begin:end]) for begin, end in pairwise([0, *ends])]

    def _numbered(self, pairs: U32, number_terms: Callable[[list[bytes]], list[int]]) -> U32:
        """The vocabulary's numbers of pairs."""
        numbers = self._numbers[pairs]
        new = sorted({*pairs[numbers == 0].tolist()})
        if new:
            count = len(self._words)
            terms = [b" ".join((self._words[n // count], self._words[n % count])) for n in new]
            self._numbers[new] = np.array(number_terms(terms), dtype=np.uint32) + 1
            numbers = self._numbers[pairs]
        return numbers - 1


def plain_text(text: str | bytes) -> bytes:
    """The text with a byte for each character, in which words and blanks are where they were."""
    if isinstance(text, bytes):
        return text
    if not text.isascii():
        text = _BEYOND_ASCII.sub(_stand_ins, text)
    return text.encode("latin-1")


def _stand_ins(found: re.Match[str]) -> str:
    return "".join(map(_stand_in, found.group()))


@lru_cache(maxsize=1 << 14)
def _stand_in(character: str) -> str:
    """A blank for a blank, a letter for what belongs to words, a stop for anything else."""
    small = character.lower()
    if small.isascii():
        return small
    if character.isspace():
        return " "
    return _LETTER if len(small) == 1 and character.isalnum() else "."
