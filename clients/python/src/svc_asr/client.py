"""The client of the HTTP API and the stream."""

from __future__ import annotations

import asyncio
import os
import random
import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import httpx

from .address import check_address, create_ssl_context
from .errors import SvcAsrError, SvcAsrFailure, SvcAsrUnreachable, build_refusal
from .latency import Latency, choose_context, choose_model
from .long.long_stream import MAX_SESSION_SECONDS, LongStream
from .long.plan import LongStreamPlan, build_config
from .messages import ContextSize, Phrase
from .resources import AsrSession, CreditBalance, Model, SessionDetail
from .retry import RetryPolicy, retry_wait_s
from .stream.stream import AsrStream, StreamOptions, open_stream

_SESSIONS = "/v1/asr/sessions"
_IDEMPOTENCY_KEY = re.compile(r"[A-Za-z0-9._:-]{1,128}")


class Client:
    """A client of the service. Use it with `async with`, or call `close`.

    `base_url`, `api_key` and `ca_file` default to the environment variables SVC_ASR_BASE_URL,
    SVC_ASR_API_KEY and SVC_ASR_CA_FILE. Keep the API key on a server. The client retries after 429
    `rate_limit_exceeded`, 502 to 504, timeouts and lost connections, with the same Idempotency-Key.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        ca_file: str | None = None,
        timeout_s: float = 10.0,
        retries: RetryPolicy | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        address = base_url or os.environ.get("SVC_ASR_BASE_URL")
        if not address:
            raise ValueError("pass base_url, or set SVC_ASR_BASE_URL")
        self._base_url = check_address(address, "base_url")
        self._api_key = api_key or os.environ.get("SVC_ASR_API_KEY") or None
        # Checked here, because the error for an invalid header quotes the header.
        if self._api_key is not None and not re.fullmatch(r"[\x21-\x7e]+", self._api_key):
            raise ValueError("api_key contains invalid characters")
        self._ssl = create_ssl_context(ca_file or os.environ.get("SVC_ASR_CA_FILE") or None)
        self._retries = retries or RetryPolicy()
        self._http = httpx.AsyncClient(verify=self._ssl, timeout=timeout_s, transport=transport)

    async def list_models(self) -> list[Model]:
        """Return the installed models."""
        body = await self._call("GET", "/v1/models", {})
        return [Model.from_dict(fields) for fields in body["data"]]

    async def create_session(
        self,
        model: str,
        *,
        max_audio_seconds: int | None = None,
        idempotency_key: str | None = None,
    ) -> AsrSession:
        """Reserve a session of 1 to 300 seconds, by default 60. The service may reserve less.

        Requests with the same `idempotency_key` reserve credit only once. By default, the key is
        random.
        """
        key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key
        if not _IDEMPOTENCY_KEY.fullmatch(key):
            raise ValueError(
                "idempotency_key must be 1 to 128 characters of "
                'A-Z, a-z, 0-9, ".", "_", ":" and "-"'
            )
        body: dict[str, Any] = {"model": model}
        if max_audio_seconds is not None:
            body["max_audio_seconds"] = max_audio_seconds
        headers = {**self._authorization(), "idempotency-key": key}
        return AsrSession.from_dict(await self._call("POST", _SESSIONS, headers, body))

    async def get_session(self, session_id: str) -> SessionDetail:
        """Return a session of the account and how it ended."""
        path = f"{_SESSIONS}/{quote(session_id, safe='')}"
        return SessionDetail.from_dict(await self._call("GET", path, self._authorization()))

    async def cancel_session(self, session_id: str) -> None:
        """Cancel a session. This releases reserved credit, and closes the stream if it is open."""
        path = f"{_SESSIONS}/{quote(session_id, safe='')}"
        await self._call("DELETE", path, self._authorization())

    async def usage(self) -> CreditBalance:
        """Return the credit of the account and its latest sessions."""
        return CreditBalance.from_dict(await self._call("GET", "/v1/usage", self._authorization()))

    def stream(
        self,
        target: AsrSession | str,
        *,
        max_audio_seconds: int | None = None,
        idempotency_key: str | None = None,
        options: StreamOptions | None = None,
    ) -> AsrStream:
        """Stream an existing session, or create a session of a model and stream it."""
        options = options or StreamOptions(ssl_context=self._ssl)
        if isinstance(target, AsrSession):
            return open_stream(target, options)
        key = str(uuid.uuid4()) if idempotency_key is None else idempotency_key

        async def create_session() -> AsrSession:
            return await self.create_session(
                target, max_audio_seconds=max_audio_seconds, idempotency_key=key
            )

        return AsrStream(create_session, options)

    def long_stream(
        self,
        *,
        model: str | None = None,
        language: str | None = None,
        latency: Latency | None = None,
        context: ContextSize | None = None,
        endpointing_ms: int | None = None,
        phrases: Sequence[Phrase] = (),
        max_session_seconds: int = MAX_SESSION_SECONDS,
        total_samples: int | None = None,
        options: StreamOptions | None = None,
    ) -> LongStream:
        """Stream audio of any length, with one continuous transcript.

        Choose the model by its id or by a language such as `ki`. `latency` is "low", "balanced" or
        "accurate"; `context` sets the exact context instead. With `endpointing_ms`, that much
        silence ends an utterance. With `phrases`, the service prefers these words. Each session
        reserves up to `max_session_seconds` of credit. If you know the length of the audio, pass
        `total_samples`, so that the last session reserves less.
        """
        if latency is not None and context is not None:
            raise ValueError("pass either latency or context")

        async def prepare() -> LongStreamPlan:
            chosen = choose_model(await self.list_models(), model, language)
            size = context if latency is None else choose_context(chosen.contexts, latency)

            async def create_session(max_audio_seconds: int) -> AsrSession:
                return await self.create_session(chosen.id, max_audio_seconds=max_audio_seconds)

            config = build_config(size, endpointing_ms, phrases)
            return LongStreamPlan(create_session, self.cancel_session, config)

        return LongStream(
            prepare,
            max_session_seconds=max_session_seconds,
            total_samples=total_samples,
            options=options or StreamOptions(ssl_context=self._ssl),
        )

    async def close(self) -> None:
        """Close the HTTP connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"Client({self._base_url!r})"

    def _authorization(self) -> dict[str, str]:
        if self._api_key is None:
            raise ValueError("this call requires an api_key; pass it, or set SVC_ASR_API_KEY")
        return {"authorization": f"Bearer {self._api_key}"}

    async def _call(
        self, method: str, path: str, headers: Mapping[str, str], body: object = None
    ) -> dict[str, Any]:
        failures = 0
        while True:
            try:
                return await self._call_once(method, path, headers, body)
            except SvcAsrFailure as error:
                failures += 1
                wait_s = retry_wait_s(error, failures, self._retries, random.random())
                if wait_s is None:
                    raise
            await asyncio.sleep(wait_s)

    async def _call_once(
        self, method: str, path: str, headers: Mapping[str, str], body: object
    ) -> dict[str, Any]:
        try:
            response = await self._http.request(
                method, self._base_url + path, headers=headers, json=body
            )
        except httpx.TimeoutException as error:
            raise SvcAsrUnreachable(
                f"could not reach {self._base_url}: no complete answer in time"
            ) from error
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
            if "CERTIFICATE_VERIFY_FAILED" in reason:
                reason += ". If the service has its own CA, pass ca_file or set SVC_ASR_CA_FILE"
            raise SvcAsrUnreachable(f"could not reach {self._base_url}: {reason}") from error
        if not response.is_success:
            raise build_refusal(response.status_code, response.headers.get, response.text)
        return {} if response.status_code == 204 else _parse(response)


def _parse(response: httpx.Response) -> dict[str, Any]:
    """Parse the JSON object of a response. A body that is not JSON comes from a proxy."""
    try:
        value = response.json()
    except ValueError:
        value = None
    if isinstance(value, dict):
        return value
    raise SvcAsrError(
        "the response is not from the service: check the address",
        status=response.status_code,
        type="unexpected_response",
        code="unexpected_response",
        request_id=response.headers.get("x-request-id"),
    )
