from typing import Protocol


class Writer(Protocol):
    def write(self, text: str) -> int: ...


class FileWriter:
    def write(self, text: str) -> int:
        return self.flush()

    def flush(self) -> int:
        return 0


class NetWriter(Writer):
    def write(self, text: str) -> int:
        return 1


def emit(writer: Writer) -> int:
    return writer.write("x")


emit(FileWriter())
emit(NetWriter())
