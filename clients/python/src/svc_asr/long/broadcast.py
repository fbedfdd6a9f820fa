"""Notification of several waiting tasks."""

from __future__ import annotations

import asyncio


class Broadcast:
    """Wakes all tasks that wait for a change."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    def notify(self) -> None:
        """Wake every waiting task."""
        waiting, self._waiting = self._waiting, set()
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the next change. Returns False after the timeout."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(future)
        try:
            # In Python 3.11 and older, `wait_for` can lose a cancellation that arrives together
            # with a notification.
            done, _ = await asyncio.wait([future], timeout=timeout_s)
        finally:
            self._waiting.discard(future)
        return bool(done)
