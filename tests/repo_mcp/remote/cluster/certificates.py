"""An authority and the certificates that it signs, as files, for tests."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_DAY = dt.timedelta(days=1)


class Authority:
    """Signs certificates; its own is `ca.pem`."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named("authority")
        made = self._builder("authority", self._key.public_key())
        made = made.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        self.file = str(folder / "ca.pem")
        self._write(made, self.file)

    def issue(self, name: str) -> tuple[str, str]:
        """A new certificate and its key, as files."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate, private = (
            str(self._folder / f"{name}.{part}.pem") for part in ("cert", "key")
        )
        self._write(self._builder(name, key.public_key()), certificate)
        text = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        Path(private).write_bytes(text)
        Path(private).chmod(0o600)
        return certificate, private

    def _builder(self, name: str, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        now = dt.datetime.now(tz=dt.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(_named(name))
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _DAY)
            .not_valid_after(now + _DAY)
        )

    def _write(self, made: x509.CertificateBuilder, path: str) -> None:
        signed = made.sign(self._key, hashes.SHA256())
        Path(path).write_bytes(signed.public_bytes(serialization.Encoding.PEM))


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
