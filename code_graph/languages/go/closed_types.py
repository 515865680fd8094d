"""Types of Go's library that are no interfaces: no type of a repository stands for one."""

from __future__ import annotations

from typing import Final

# interfaces of the standard library, whatever package has them
_INTERFACES: Final = frozenset(
    """
    error Addr AEAD Ancestor Block BlockMode ByteReader ByteScanner ByteWriter Client Closer
    CloseNotifier Codec Cond Conn ConnPrepareContext Connector Context Conversion CookieJar Curve
    Decl Decrypter DirEntry Driver Error Executer Expr FileInfo FileSystem File FS Flusher Formatter
    Getter GobDecoder GobEncoder GoStringer Handler Hash Hash32 Hash64 Hijacker Image Importer
    Interface Leveler Listener Locker LogValuer Marshaler MarshalerAttr Model Node NotifyContext
    Object Option PacketConn Pinger PrivateKey PublicKey PublicSuffixList Pusher Queryer RawConn
    ReadCloser ReadDirFS ReadDirFile Reader ReaderAt ReaderFrom ReadFileFS ReadSeekCloser ReadSeeker
    ReadWriteCloser ReadWriteSeeker ReadWriter ResponseWriter Result RoundTripper Rows RuneReader
    RuneScanner Scanner ScanState Scope SectionReader Seeker SessionResetter Signal Signer Source
    Source64 Spec StatFS State Stmt Storage Stringer StringWriter SubFS TB TextMarshaler
    TextUnmarshaler Token TokenReader Tx Type Typed Unmarshaler UnmarshalerAttr Value ValueConverter
    Valuer Visitor WriteCloser Writer WriterAt WriterTo WriteSeeker BinaryMarshaler
    BinaryUnmarshaler
    """.split()  # noqa: SIM905 a list of words reads better
)
# functions of the library that give objects of a type, by these words at the end
_MAKING: Final = frozenset(
    """
    reflect.ValueOf() reflect.Zero() reflect.New() reflect.Indirect() strings.NewReplacer()
    strings.NewReader() bytes.NewBuffer() bytes.NewBufferString() bytes.NewReader()
    regexp.MustCompile() time.Now() time.Since() time.Unix() time.Date() big.NewInt()
    flag.NewFlagSet() bufio.NewReader() bufio.NewWriter() bufio.NewScanner() json.NewDecoder()
    json.NewEncoder()
    """.split()  # noqa: SIM905 as above
)
# no type inherits from another
FINAL: Final[frozenset[str]] = frozenset()


def is_closed(owner: str) -> bool:
    """True for a type that a package has, unless it is an interface, by its whole name."""
    if owner in _MAKING:
        return True
    package, _, name = owner.partition(".")
    # behind a type, a field of it may be an interface
    return bool(package) and name.isidentifier() and name[0].isupper() and name not in _INTERFACES


def is_module(owner: str) -> bool:
    """True for a package: its functions are no methods."""
    return owner.islower() and "." not in owner and "(" not in owner and owner != "error"
