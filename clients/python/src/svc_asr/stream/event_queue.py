"""Events that wait for their reader."""

from __future__ import annotations

import asyncio
from collections import deque

from ..messages import Delta, Event


class EventQueue:
    """A queue of events with an end.

    If the last unread event is a delta, a newer delta of the same utterance replaces it. A program
    that reads no events therefore collects few deltas.
    """

    def __init__(self) -> None:
        self._events: deque[Event] = deque()
        self._changed = asyncio.Event()
        self._ended = False
        self._error: Exception | None = None

    def push(self, event: Event) -> None:
        """Add an event. A delta replaces the preceding delta of the same utterance."""
        last = self._events[-1] if self._events else None
        if (
            isinstance(event, Delta)
            and isinstance(last, Delta)
            and last.utterance == event.utterance
        ):
            self._events.pop()
        self._events.append(event)
        self._changed.set()

    def end(self, error: Exception | None = None) -> None:
        """End the queue. Readers get the remaining events, and then `error` if there is one."""
        self._ended, self._error = True, error
        self._changed.set()

    async def next(self) -> Event | None:
        """Return the next event, or None at the end."""
        while not self._events:
            if self._ended:
                if self._error is not None:
                    raise self._error
                return None
            self._changed.clear()
            await self._changed.wait()
        return self._events.popleft()
