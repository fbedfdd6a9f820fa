"""Sessions for a long stream."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from ..errors import SvcAsrError, SvcAsrFailure
from ..resources import AsrSession

_FIRST_WAIT_S = 0.1
_LONGEST_WAIT_S = 1.0
_CANCEL_TIMEOUT_S = 5.0

JOIN_PATIENCE_S = 5.0
"""Time in which the service settles a closed session, which counts as concurrent until then."""
RECONNECT_PATIENCE_S = 30.0
"""Time after which the service has ended a session whose connection broke."""


SessionSource = Callable[[int], Awaitable[AsrSession]]
"""Returns a new session. The argument is the number of audio seconds to reserve."""


async def create_when_free(
    create: SessionSource, max_audio_seconds: int, patience_s: float
) -> AsrSession:
    """Create a session. While the previous session is not settled (429), retries for a time."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience_s
    wait_s = _FIRST_WAIT_S
    while True:
        try:
            return await create(max_audio_seconds)
        except SvcAsrError as error:
            is_held = error.code == "concurrency_limit_exceeded"
            if not is_held or loop.time() + wait_s > deadline:
                raise
        await asyncio.sleep(wait_s)
        wait_s = min(wait_s * 2, _LONGEST_WAIT_S)


async def cancel_quietly(cancel: Callable[[str], Awaitable[None]], session_id: str) -> None:
    """Cancel a session whose connection broke, so that the next session is not refused."""

    async def cancel_or_ignore() -> None:
        # If this fails, the service ends the session by itself.
        with contextlib.suppress(SvcAsrFailure):
            await cancel(session_id)

    task = asyncio.create_task(cancel_or_ignore())
    try:
        await asyncio.wait([task], timeout=_CANCEL_TIMEOUT_S)
    finally:
        task.cancel()
