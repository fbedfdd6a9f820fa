"""The WebSocket of a session."""

from __future__ import annotations

import asyncio
import logging
import ssl
from typing import Any
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.typing import Subprotocol

from ..address import check_session
from ..errors import SvcAsrFailure, SvcAsrUnreachable, build_refusal
from ..resources import AsrSession

# At the level DEBUG the library would log the credential of the session.
_LOGGER = logging.getLogger("svc_asr.websocket")
_LOGGER.setLevel(logging.WARNING)

_CLOSE_TIMEOUT_S = 5
_MAX_MESSAGE_BYTES = 4 * 2**20


class _ObservedConnection(ClientConnection):
    """A connection that records when something was last received, pings included."""

    received_at = 0.0

    def process_event(self, event: Any) -> None:
        self.received_at = self.loop.time()
        super().process_event(event)


class Connection:
    """An open WebSocket."""

    def __init__(self, socket: ClientConnection, silence_timeout_s: float | None) -> None:
        self._socket = socket
        self._silence_timeout_s = silence_timeout_s
        self._is_silent = False

    async def send(self, data: str | bytes) -> None:
        """Send a message. Waits while the network is slower than the caller."""
        await self._socket.send(data)

    async def receive(self) -> str | bytes | None:
        """Return the next message, or None at the end of the connection."""
        try:
            return await self._socket.recv()
        except ConnectionClosed:
            return None

    async def watch_silence(self) -> None:
        """Break the connection if the service is silent. By default, it sends a ping every 20 s."""
        if self._silence_timeout_s is None or not isinstance(self._socket, _ObservedConnection):
            return
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._silence_timeout_s
        while loop.time() < deadline:
            await asyncio.sleep(deadline - loop.time())
            deadline = self._socket.received_at + self._silence_timeout_s
        self._is_silent = True
        self.abandon()

    async def close(self) -> None:
        """Close the connection after all sent messages. Waits a limited time for the service."""
        await self._socket.close(1000)

    def abandon(self) -> None:
        """Break the connection without waiting for the service."""
        self._socket.transport.abort()

    @property
    def close_code(self) -> int:
        """Close code that the service sent. 1006 if it sent none."""
        received = self._socket.protocol.close_rcvd
        return 1006 if received is None or self._is_silent else received.code

    @property
    def close_reason(self) -> str:
        """Close reason that the service sent, or `silence` if the service was silent too long."""
        received = self._socket.protocol.close_rcvd
        return "silence" if self._is_silent else "" if received is None else received.reason


async def open_connection(
    session: AsrSession,
    *,
    ssl_context: ssl.SSLContext | None,
    timeout_s: float,
    silence_timeout_s: float | None,
) -> Connection:
    """Open the WebSocket of a session.

    Raises SvcAsrError if the service refuses the stream, SvcAsrUnreachable if it cannot be reached,
    and ValueError if the session is invalid.
    """
    check_session(session)
    address = urlsplit(session.websocket_url)
    is_encrypted = address.scheme == "wss"
    try:
        socket = await connect(
            session.websocket_url,
            subprotocols=[Subprotocol(name) for name in session.websocket_protocols],
            ssl=(ssl_context or ssl.create_default_context()) if is_encrypted else None,
            # Compression does not make audio smaller.
            compression=None,
            # The service does not answer pings while it slows the sender down.
            ping_interval=None,
            open_timeout=timeout_s,
            close_timeout=_CLOSE_TIMEOUT_S,
            max_size=_MAX_MESSAGE_BYTES,
            max_queue=None,
            logger=_LOGGER,
            create_connection=_ObservedConnection,
        )
    except InvalidStatus as refused:
        response = refused.response
        body = bytes(response.body or b"").decode(errors="replace")
        # The exception of the library is dropped, because it keeps the request with its credential.
        raise build_refusal(response.status_code, response.headers.get, body) from None
    except (OSError, asyncio.TimeoutError, WebSocketException) as error:
        raise _unreachable(address.netloc, error) from None
    return Connection(socket, silence_timeout_s)


def _unreachable(host: str, error: Exception) -> SvcAsrFailure:
    reason = str(error) or type(error).__name__
    return SvcAsrUnreachable(f"could not open the stream at {host}: {reason}")
