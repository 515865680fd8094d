"""Interfaces of Go's standard library that types of repositories implement, with their methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_BYTES: Final = "[ ] uint8"
_READ: Final = f"({_BYTES}) (int, error)"
_AT: Final = f"({_BYTES}, int64) (int, error)"
_WRITTEN: Final = f"() ({_BYTES}, error)"
_CLOSE: Final = "() (error)"
_SEEK: Final = "(int64, int) (int64, error)"
_ADDRESS: Final = "() (net:Addr)"
_DEADLINE: Final = "(time:Time) (error)"
_SIZES: Final = {"Len": "() (int)", "Less": "(int, int) (bool)", "Swap": "(int, int) ()"}

STANDARD: Final[Mapping[str, Mapping[str, str]]] = {
    "error": {"Error": "() (string)"},
    "fmt.Stringer": {"String": "() (string)"},
    "fmt.GoStringer": {"GoString": "() (string)"},
    "fmt.Formatter": {"Format": "(fmt:State, int32) ()"},
    "io.Reader": {"Read": _READ},
    "io.Writer": {"Write": _READ},
    "io.Closer": {"Close": _CLOSE},
    "io.Seeker": {"Seek": _SEEK},
    "io.ReadWriter": {"Read": _READ, "Write": _READ},
    "io.ReadCloser": {"Read": _READ, "Close": _CLOSE},
    "io.WriteCloser": {"Write": _READ, "Close": _CLOSE},
    "io.ReadWriteCloser": {"Read": _READ, "Write": _READ, "Close": _CLOSE},
    "io.ReadSeeker": {"Read": _READ, "Seek": _SEEK},
    "io.WriteSeeker": {"Write": _READ, "Seek": _SEEK},
    "io.ReadSeekCloser": {"Read": _READ, "Seek": _SEEK, "Close": _CLOSE},
    "io.ReadWriteSeeker": {"Read": _READ, "Write": _READ, "Seek": _SEEK},
    "io.ReaderAt": {"ReadAt": _AT},
    "io.WriterAt": {"WriteAt": _AT},
    "io.ReaderFrom": {"ReadFrom": "(io:Reader) (int64, error)"},
    "io.WriterTo": {"WriteTo": "(io:Writer) (int64, error)"},
    "io.ByteReader": {"ReadByte": "() (uint8, error)"},
    "io.ByteWriter": {"WriteByte": "(uint8) (error)"},
    "io.RuneReader": {"ReadRune": "() (int32, int, error)"},
    "io.StringWriter": {"WriteString": "(string) (int, error)"},
    "sort.Interface": _SIZES,
    "container/heap.Interface": {
        **_SIZES,
        "Push": "(interface { }) ()",
        "Pop": "() (interface { })",
    },
    "sync.Locker": {"Lock": "() ()", "Unlock": "() ()"},
    "flag.Value": {"String": "() (string)", "Set": "(string) (error)"},
    "encoding.TextMarshaler": {"MarshalText": _WRITTEN},
    "encoding.TextUnmarshaler": {"UnmarshalText": f"({_BYTES}) (error)"},
    "encoding.BinaryMarshaler": {"MarshalBinary": _WRITTEN},
    "encoding.BinaryUnmarshaler": {"UnmarshalBinary": f"({_BYTES}) (error)"},
    "encoding/json.Marshaler": {"MarshalJSON": _WRITTEN},
    "encoding/json.Unmarshaler": {"UnmarshalJSON": f"({_BYTES}) (error)"},
    "net/http.Handler": {"ServeHTTP": "(net/http:ResponseWriter, * net/http:Request) ()"},
    "net/http.RoundTripper": {
        "RoundTrip": "(* net/http:Request) (* net/http:Response, error)",
    },
    "net/http.ResponseWriter": {
        "Header": "() (net/http:Header)",
        "Write": _READ,
        "WriteHeader": "(int) ()",
    },
    "net/http.Flusher": {"Flush": "() ()"},
    "net/http.Hijacker": {"Hijack": "() (net:Conn, * bufio:ReadWriter, error)"},
    "net/http.CloseNotifier": {"CloseNotify": "() (<- chan bool)"},
    "net/http.Pusher": {"Push": "(string, * net/http:PushOptions) (error)"},
    "net/http.CookieJar": {
        "SetCookies": "(* net/url:URL, [ ] * net/http:Cookie) ()",
        "Cookies": "(* net/url:URL) ([ ] * net/http:Cookie)",
    },
    "database/sql.Scanner": {"Scan": "(interface { }) (error)"},
    "database/sql/driver.Valuer": {"Value": "() (database/sql/driver:Value, error)"},
    "context.Context": {
        "Deadline": "() (time:Time, bool)",
        "Done": "() (<- chan struct { })",
        "Err": _CLOSE,
        "Value": "(interface { }) (interface { })",
    },
    "net.Addr": {"Network": "() (string)", "String": "() (string)"},
    "net.Error": {
        "Error": "() (string)",
        "Timeout": "() (bool)",
        "Temporary": "() (bool)",
    },
    "net.Listener": {"Accept": "() (net:Conn, error)", "Close": _CLOSE, "Addr": _ADDRESS},
    "net.Conn": {
        "Read": _READ,
        "Write": _READ,
        "Close": _CLOSE,
        "LocalAddr": _ADDRESS,
        "RemoteAddr": _ADDRESS,
        "SetDeadline": _DEADLINE,
        "SetReadDeadline": _DEADLINE,
        "SetWriteDeadline": _DEADLINE,
    },
    "log/slog.Handler": {
        "Enabled": "(context:Context, log/slog:Level) (bool)",
        "Handle": "(context:Context, log/slog:Record) (error)",
        "WithAttrs": "([ ] log/slog:Attr) (log/slog:Handler)",
        "WithGroup": "(string) (log/slog:Handler)",
    },
}
