"""Checks of addresses and credentials before they are used."""

from __future__ import annotations

import ipaddress
import re
import ssl
from urllib.parse import urlsplit

from .resources import AsrSession

STREAM_SUBPROTOCOL = "svc.realtime.v1"
CREDENTIAL_PREFIX = "svc.auth."


def check_address(address: str, name: str) -> str:
    """Return an address without trailing slashes.

    Raises ValueError if requests to the address would send a secret unencrypted, or if the address
    itself may contain a secret.
    """
    url = urlsplit(address)
    host = url.hostname or ""
    if url.scheme not in ("http", "https") or not host:
        raise ValueError(f"{name} is not a URL")
    if url.scheme == "http" and not _is_loopback(host):
        raise ValueError(
            f"{name} must start with https:// (http:// is allowed only for loopback addresses)"
        )
    if url.username or url.password or url.query or url.fragment:
        raise ValueError(f"{name} must not contain a user, password, query or fragment")
    return address.rstrip("/")


def check_session(session: AsrSession) -> None:
    """Check a session. Errors do not quote it, because its credential could then reach a log."""
    first, second = session.websocket_protocols
    if first != STREAM_SUBPROTOCOL or not second.startswith(CREDENTIAL_PREFIX):
        raise ValueError("this is not a session from POST /v1/asr/sessions")
    if not re.fullmatch(r"[A-Za-z0-9._~-]+", second):
        raise ValueError("the credential of the session contains invalid characters")
    if not re.match(r"wss?://", session.websocket_url):
        raise ValueError("websocket_url must start with wss://")
    check_address(re.sub(r"^ws", "http", session.websocket_url), "websocket_url")


def create_ssl_context(ca_file: str | None) -> ssl.SSLContext:
    """Create a context that trusts the CAs of the system, and those in `ca_file` if given."""
    context = ssl.create_default_context()
    if ca_file is not None:
        try:
            context.load_verify_locations(cafile=ca_file)
        except OSError as error:  # includes ssl.SSLError, for a file without certificates
            raise ValueError(
                f"cannot read the CA file {ca_file!r}: {error}. Check ca_file or SVC_ASR_CA_FILE"
            ) from error
    return context


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
