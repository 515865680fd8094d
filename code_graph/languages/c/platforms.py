"""Macros that compilers define by themselves, by system, architecture and compiler."""

from __future__ import annotations

from functools import cache
from typing import Final

from code_graph.conditions.definitions import UNDEFINED, Macro
from code_graph.conditions.truth import Truth
from index_format.tuples import NamedTuple

_SET: Final = Macro(Truth.TRUE, "1")
# defined with a value that depends on a version
_SOME: Final = Macro(Truth.TRUE)

_SYSTEMS: Final = {
    "linux": "__linux__ __linux linux __gnu_linux__ __unix__ __unix unix __ELF__",
    "android": "__ANDROID__ __linux__ __linux linux __unix__ __unix unix __ELF__",
    "darwin": "__APPLE__ __MACH__",
    "windows": "_WIN32 WIN32 __WIN32__ __WINNT__",
    "windows64": "_WIN64 WIN64 __WIN64__",
    "mingw": "__MINGW32__ __MINGW64__",
    "msvc": "_MSC_VER _MSC_FULL_VER",
    "cygwin": "__CYGWIN__ __CYGWIN32__",
    "freebsd": "__FreeBSD__ __FreeBSD_kernel__ __unix__ __unix unix __ELF__",
    "netbsd": "__NetBSD__ __unix__ __unix unix __ELF__",
    "openbsd": "__OpenBSD__ __unix__ __unix unix __ELF__",
    "dragonfly": "__DragonFly__ __unix__ __unix unix __ELF__",
    "solaris": "__sun __sun__ sun __SVR4 __svr4__ __unix__ __unix unix __ELF__",
    "aix": "_AIX __unix__ __unix unix",
    "hpux": "__hpux __hpux__ hpux __unix__ __unix unix",
    "others": (
        "__HAIKU__ __BEOS__ __QNX__ __QNXNTO__ __MVS__ __PASE__ __OS400__ __INTERIX __VMS VMS"
        " __OS2__ __MSDOS__ MSDOS __DJGPP__ __EMSCRIPTEN__ __wasi__ __wasm__ __Fuchsia__"
        " __amigaos__ __GNU__ __minix __rtems__ __CloudABI__ __sgi sgi __osf__ __TOS_AIX__"
        " _UNICOS __SYMBIAN32__ __EPOC32__ __ultrix __VXWORKS__ __vxworks __riscos__ __NetWare__"
        " NETWARE _WIN32_WCE"
    ),
}
_ARCHITECTURES: Final = {
    "amd64": (
        "__x86_64__ __x86_64 __amd64__ __amd64 __LP64__ _LP64 __SSE__ __SSE2__ __SIZEOF_INT128__"
    ),
    "386": "__i386__ __i386 i386 __ILP32__ _ILP32",
    "arm64": "__aarch64__ __LP64__ _LP64 __ARM_NEON __ARM_ARCH __SIZEOF_INT128__",
    "arm": "__arm__ __arm __ARM_ARCH __ARM_EABI__",
    "riscv64": "__riscv __LP64__ _LP64 __SIZEOF_INT128__",
    "ppc64le": (
        "__powerpc64__ __powerpc__ __PPC64__ __PPC__ __ppc__ __ppc64__ __LP64__ _LP64 _ARCH_PPC"
        " _ARCH_PPC64 __SIZEOF_INT128__"
    ),
    "s390x": "__s390x__ __s390__ __LP64__ _LP64 __SIZEOF_INT128__",
    "mips64": "__mips__ __mips __mips64 mips __LP64__ _LP64",
    "loong64": ("__loongarch__ __loongarch64 __loongarch_lp64 __LP64__ _LP64 __SIZEOF_INT128__"),
    "others": (
        "_M_IX86 _M_X64 _M_AMD64 _M_ARM _M_ARM64 _M_IA64 _M_ALPHA _M_PPC _X86_ __ia64__ __ia64"
        " __alpha__ __alpha __sparc__ __sparc __sparc64__ __hppa__ __hppa __m68k__ __mc68000__"
        " __sh__ __arc__ __xtensa__ __nios2__ __or1k__ __csky__ __hexagon__ __tile__ __avr__"
        " __AVR__ __e2k__ __ILP32__ __ARMEB__ __AARCH64EB__ __MIPSEB__ __ARM_BIG_ENDIAN"
        " __THUMB__ __SSE3__ __SSSE3__ __SSE4_1__ __SSE4_2__ __AVX__ __AVX2__ __AVX512F__"
        " __AVX512BW__ __ALTIVEC__ __VSX__ __ARM_FEATURE_SVE __ARM_FEATURE_CRC32"
        " __ARM_FEATURE_CRYPTO __AES__ __PCLMUL__ __BMI__ __BMI2__ __SHA__ __POPCNT__ __FMA__"
        " __LZCNT__ __RDRND__ __GFNI__ __VAES__"
    ),
}
_COMPILERS: Final = {
    "gcc": "__GNUC__ __GNUC_MINOR__ __GNUC_PATCHLEVEL__",
    "clang": (
        "__clang__ __clang_major__ __clang_minor__ __llvm__ __GNUC__ __GNUC_MINOR__"
        " __GNUC_PATCHLEVEL__"
    ),
    "others": (
        "_MSC_VER __INTEL_COMPILER __ICC __ICL __SUNPRO_C __SUNPRO_CC __TINYC__ __PGI __IBMC__"
        " __IBMCPP__ __xlc__ __BORLANDC__ __TURBOC__ __WATCOMC__ __DMC__ __HP_cc __HP_aCC __DECC"
        " __LCC__ __CC_ARM __ARMCC_VERSION __IAR_SYSTEMS_ICC__ __CUDACC__ __CUDA_ARCH__ __NVCC__"
        " __HIPCC__ __MWERKS__ __COMO__ __CHECKER__ __COVERITY__ __KLOCWORK__ __clang_analyzer__"
        " __SANITIZE_ADDRESS__ __SANITIZE_THREAD__ _lint lint __lint__ __cppcheck__ __BINDGEN__"
        " SWIG DOXYGEN __DOXYGEN__ __STRICT_ANSI__ __OBJC__ __ASSEMBLER__ __ASSEMBLY__"
        " RC_INVOKED __RESHARPER__ __INTELLISENSE__ __CLING__ __MIDL__ __STDC_NO_ATOMICS__"
        " __STDC_NO_THREADS__ __STDC_NO_VLA__ __PIE__"
    ),
}
# every compiler in use has them
_ALL: Final = frozenset(
    """
    __STDC__ __STDC_HOSTED__ __FILE__ __LINE__ __COUNTER__ __VERSION__ __has_include
    __has_attribute __BYTE_ORDER__ __ORDER_LITTLE_ENDIAN__ __ORDER_BIG_ENDIAN__ __CHAR_BIT__
    __INT_MAX__ __LONG_MAX__ __SIZEOF_POINTER__ __SIZEOF_LONG__ __SIZEOF_INT__ __SIZEOF_LONG_LONG__
    """.split()  # noqa: SIM905 a list of words reads better
)
_MACHINES: Final = {
    "x86_64": "amd64",
    "amd64": "amd64",
    "i686": "386",
    "i586": "386",
    "i386": "386",
    "aarch64": "arm64",
    "arm64": "arm64",
    "arm": "arm",
    "armv7l": "arm",
    "riscv64": "riscv64",
    "ppc64le": "ppc64le",
    "powerpc64le": "ppc64le",
    "s390x": "s390x",
    "mips64": "mips64",
    "loongarch64": "loong64",
}
_WIDE: Final = frozenset({"amd64", "arm64"})
_OF_CLANG: Final = frozenset({"__has_feature", "__has_extension"})
_OF_CXX: Final = frozenset({"__cplusplus", "__cpp_exceptions", "__cpp_rtti", "__GXX_RTTI"})
_VALUES: Final = {
    "__CHAR_BIT__": "8",
    "__ORDER_LITTLE_ENDIAN__": "1234",
    "__ORDER_BIG_ENDIAN__": "4321",
    "__SIZEOF_INT__": "4",
    "__SIZEOF_LONG_LONG__": "8",
    "__STDC__": "1",
    "__STDC_HOSTED__": "1",
}
_NAMES: Final = frozenset(
    name
    for table in (_SYSTEMS, _ARCHITECTURES, _COMPILERS)
    for names in table.values()
    for name in names.split()
)


class CompilerPlatform(NamedTuple):
    """A system, an architecture, a compiler and a language, as a compiler defines macros for it.

    Names are Go's, as `build:linux/arm64` has them; the compiler is `gcc` or `clang`.
    """

    system: str
    architecture: str
    compiler: str = "gcc"
    # None for a header, which is of both
    is_cxx: bool | None = False

    def macro(self, name: str) -> Macro | None:
        """A macro by the compiler; None for one of a header, a build or the code."""
        if name in _OF_CXX:
            return None if self.is_cxx is None else (_SOME if self.is_cxx else UNDEFINED)
        if name in _ALL:
            return Macro(Truth.TRUE, _VALUES.get(name))
        if name in _OF_CLANG:
            return _SOME if self.compiler == "clang" else UNDEFINED
        if name not in _NAMES:
            return None
        if name.startswith(("__GNUC", "__clang_m")) and name in self._defined:
            return _SOME
        return _SET if name in self._defined else UNDEFINED

    @property
    def _defined(self) -> frozenset[str]:
        return _defined(self.system, self.architecture, self.compiler)


@cache
def _defined(system: str, architecture: str, compiler: str) -> frozenset[str]:
    is_wide = system == "windows" and architecture in _WIDE
    rows = (
        _SYSTEMS.get(system, ""),
        _SYSTEMS["windows64"] if is_wide else "",
        _ARCHITECTURES.get(architecture, ""),
        _COMPILERS.get(compiler, ""),
    )
    return frozenset(" ".join(rows).split())


def machine_of(name: str) -> str:
    """Go's name of an architecture that a system or a target calls so."""
    return _MACHINES.get(name.lower(), name)
