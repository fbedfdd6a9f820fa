"""Tests of the HTTP client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from svc_asr import Client, Model, ModelContext, RetryPolicy, SvcAsrError, SvcAsrUnreachable
from svc_asr.latency import choose_context, choose_model

KEY = "svc_live_v1_0123456789_" + "a" * 38
SESSION: dict[str, Any] = {
    "id": "6f1c0000-0000-4000-8000-000000000000",
    "object": "asr.session",
    "model": "m",
    "websocket_url": "wss://asr.example/v1/asr/sessions/6f1c/stream",
    "websocket_protocols": ["svc.realtime.v1", "svc.auth.s3cret"],
    "expires_at": "2026-01-01T00:01:00Z",
    "audio": {"max_audio_seconds": 60},
    "credits": {"remaining": 100},
}


def error_body(code: str) -> dict[str, Any]:
    return {"error": {"type": "t", "code": code, "message": "No.", "request_id": "r-1"}}


class Service:
    """Answers requests in order and records them. The last answer is repeated."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def run(self, call: Callable[[Client], Awaitable[Any]], **options: Any) -> Any:
        async def run() -> Any:
            transport = httpx.MockTransport(self.handle)
            async with Client(
                "https://asr.example/", KEY, transport=transport, **options
            ) as client:
                return await call(client)

        return asyncio.run(run())


def test_list_models_sends_no_api_key_and_reads_contexts() -> None:
    context = {"context_size": [56, 3], "chunk_ms": 320, "default": True}
    model = {"id": "m", "language": "Kikuyu", "language_code": "ki", "max_audio_seconds": 300}
    service = Service(httpx.Response(200, json={"data": [model, {**model, "contexts": [context]}]}))
    plain, detailed = service.run(lambda client: client.list_models())
    assert plain == Model("m", "Kikuyu", "ki", 300)
    assert detailed.contexts == (ModelContext((56, 3), 320, True),)
    assert "authorization" not in service.requests[0].headers


def test_create_session_sends_the_key_the_body_and_an_idempotency_key() -> None:
    service = Service(httpx.Response(201, json=SESSION))
    service.run(lambda client: client.create_session("m"))
    service.run(
        lambda client: client.create_session("m", max_audio_seconds=5, idempotency_key="mine")
    )
    first, second = service.requests
    assert (first.method, str(first.url)) == ("POST", "https://asr.example/v1/asr/sessions")
    assert first.headers["authorization"] == f"Bearer {KEY}"
    assert json.loads(first.content) == {"model": "m"}
    assert len(first.headers["idempotency-key"]) == 36
    assert json.loads(second.content) == {"model": "m", "max_audio_seconds": 5}
    assert second.headers["idempotency-key"] == "mine"


def test_client_and_session_print_without_secrets() -> None:
    service = Service(httpx.Response(201, json=SESSION))
    session = service.run(lambda client: client.create_session("m"))
    assert "s3cret" not in f"{session} {session!r}"
    assert KEY not in repr(Client("https://asr.example", KEY))
    assert session.to_dict() == SESSION


def test_create_session_retries_with_the_same_idempotency_key() -> None:
    busy = httpx.Response(503, json=error_body("no_capacity"), headers={"retry-after": "0"})
    service = Service(busy, httpx.ConnectError("refused"), httpx.Response(201, json=SESSION))
    service.run(lambda client: client.create_session("m"))
    assert len(service.requests) == 3
    assert len({request.headers["idempotency-key"] for request in service.requests}) == 1


@pytest.mark.parametrize(
    ("status", "code"), [(402, "insufficient_credits"), (429, "concurrency_limit_exceeded")]
)
def test_a_refused_request_raises_the_fields_of_the_error_body(status: int, code: str) -> None:
    service = Service(httpx.Response(status, json=error_body(code)))
    with pytest.raises(SvcAsrError, match=r"No\.") as caught:
        service.run(lambda client: client.usage())
    assert (caught.value.status, caught.value.code) == (status, code)
    assert caught.value.request_id == "r-1"
    assert len(service.requests) == 1


def test_a_wait_that_is_too_long_raises_the_error_at_once() -> None:
    slow = httpx.Response(
        429, json=error_body("rate_limit_exceeded"), headers={"retry-after": "3600"}
    )
    service = Service(slow)
    with pytest.raises(SvcAsrError) as caught:
        service.run(lambda client: client.usage())
    assert caught.value.retry_after_s == 3600


def test_an_unreachable_service_raises_svc_asr_unreachable_without_the_key() -> None:
    service = Service(httpx.ConnectError("connection refused"))
    with pytest.raises(SvcAsrUnreachable, match="connection refused") as caught:
        service.run(lambda client: client.usage(), retries=RetryPolicy(max_retries=0))
    assert KEY not in str(caught.value)


def test_an_untrusted_certificate_raises_an_error_that_names_the_ca_file() -> None:
    service = Service(httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] certificate"))
    with pytest.raises(SvcAsrUnreachable, match="SVC_ASR_CA_FILE"):
        service.run(lambda client: client.usage(), retries=RetryPolicy(max_retries=0))


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_a_missing_or_invalid_ca_file_raises_an_error_with_its_path_and_the_variable(
    content: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "ca.crt"
    if content is not None:
        file.write_text(content)
    monkeypatch.setenv("SVC_ASR_CA_FILE", str(file))
    with pytest.raises(ValueError, match=r"ca\.crt.*SVC_ASR_CA_FILE"):
        Client("https://localhost:1", KEY)


def test_a_response_of_a_proxy_raises_unexpected_response() -> None:
    service = Service(httpx.Response(200, text="<html>Welcome</html>"))
    with pytest.raises(SvcAsrError) as caught:
        service.run(lambda client: client.usage())
    assert caught.value.code == "unexpected_response"


def test_get_and_cancel_session_use_the_path_of_the_session() -> None:
    detail = {
        "id": "a",
        "model": "m",
        "status": "completed",
        "audio_ms": 1,
        "billable_ms": 1000,
        "created_at": "c",
        "completed_at": None,
        "end_reason": "client_closed",
        "close_code": 1000,
    }
    service = Service(httpx.Response(200, json=detail), httpx.Response(204))
    session = service.run(lambda client: client.get_session("a/b"))
    assert (session.end_reason, session.close_code) == ("client_closed", 1000)
    service.run(lambda client: client.cancel_session("a"))
    paths = [(request.method, request.url.raw_path) for request in service.requests]
    assert paths == [("GET", b"/v1/asr/sessions/a%2Fb"), ("DELETE", b"/v1/asr/sessions/a")]


@pytest.mark.parametrize(
    "address", ["http://asr.example", "ftp://asr.example", "https://u:p@asr.example", "asr.example"]
)
def test_client_refuses_an_address_that_is_invalid_or_would_reveal_the_key(address: str) -> None:
    with pytest.raises(ValueError, match="base_url"):
        Client(address, KEY)


def test_choose_context_maps_latency_to_the_length_of_chunks() -> None:
    contexts = [ModelContext((40, right), (right + 1) * 80, False) for right in (2, 0, 9)]
    assert choose_context(contexts, "low") == (40, 0)
    assert choose_context(contexts, "balanced") == (40, 2)
    assert choose_context(contexts, "accurate") == (40, 9)
    assert choose_context([], "accurate") == (56, 13)


def test_choose_model_finds_models_of_a_region() -> None:
    brazil = Model("b", "Portuguese", "pt-BR", 300)
    portugal = Model("p", "Portuguese", "pt-PT", 300)
    assert choose_model([brazil, portugal], None, "pt_br").id == "b"
    assert choose_model([brazil], None, "pt").id == "b"
    for models, language in (([brazil], "pt-PT"), ([brazil, portugal], "pt")):
        with pytest.raises(ValueError, match="installed"):
            choose_model(models, None, language)


def test_choose_model_accepts_ids_and_language_tags() -> None:
    models = [Model("k", "Kikuyu", "ki", 300), Model("d", "Dholuo", "luo", 300)]
    assert choose_model(models, "d", None).id == "d"
    assert choose_model(models, None, "ki-KE").id == "k"
    assert choose_model(models[:1], None, None).id == "k"
    for model, language in ((None, None), ("x", None), (None, "sw")):
        with pytest.raises(ValueError, match=r"k \(ki\), d \(luo\)"):
            choose_model(models, model, language)
