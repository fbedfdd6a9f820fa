import { randomBytes } from 'node:crypto';
import { eventually } from '../support/eventually.ts';
import { MODEL, postSession } from '../support/gateway.ts';
import { recording } from '../support/recording.ts';
import { openStream } from '../support/stream-client.ts';
import type { SessionBody } from '../support/stream-client.ts';
import { setStage, STAGE_TIMEOUT_MS } from '../stream/stage.ts';
import type { Stage } from '../stream/stage.ts';
import { startReceiver } from './receiver.ts';
import type { ReceivedSpan, Receiver } from './receiver.ts';

const WAIT_MS = 30_000;
const { pcm } = recording();
const POST = 'POST /v1/asr/sessions';
const HANDSHAKE = 'GET /v1/asr/sessions/:id/stream';
const CREATED = [POST, 'reserve', 'claim', 'confirm'];
const STREAMED = [HANDSHAKE, 'stream', 'place', 'relay', 'recognize', 'utterance', 'settle'];
/** The transcript, which no trace may contain. */
let text = 'no text yet';
const CALLER = { traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') };

let receiver: Receiver;
let stage: Stage;
beforeAll(async () => {
  receiver = await startReceiver();
  const telemetry = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-receiver=test%20header',
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_METRIC_EXPORT_INTERVAL: '500',
  };
  stage = await setStage({ gateway: telemetry, workers: [telemetry, telemetry] });
}, STAGE_TIMEOUT_MS);
afterAll(async () => {
  await stage.stop();
  await receiver.stop();
});

/** Creates a session as a caller that sends a traceparent. */
async function create(key: string, headers: Record<string, string> = {}): Promise<SessionBody> {
  const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
  const answer = await postSession(stage.gateway, key, { model: MODEL }, { traceparent, ...headers });
  expect(answer.status).toBe(201);
  return answer.body as unknown as SessionBody;
}

/**
 * Returns the spans of a session's trace once it has a span for each given name. If a name is given several times, the
 * trace must have as many spans with that name.
 */
async function traceOf({ id }: { id: string }, ...names: string[]): Promise<ReceivedSpan[]> {
  const traceId = id.replaceAll('-', '');
  return eventually(`spans ${names.join(', ')}`, WAIT_MS, () => {
    const spans = receiver.spans.filter((span) => span.traceId === traceId);
    const count = (name: string) => spans.filter((span) => span.name === name).length;
    return names.every((name) => count(name) >= names.filter((other) => other === name).length) && spans;
  });
}

function named(spans: readonly ReceivedSpan[], name: string): ReceivedSpan {
  const found = spans.filter((span) => span.name === name);
  expect(found).toHaveLength(1);
  return found[0]!;
}

test('a session is one trace from POST to settlement, and each span is below the span that caused it', async () => {
  const caller = await stage.caller();
  const session = await create(caller.key);
  const stream = await openStream(session);
  await stream.next('ready');
  stream.audio(pcm);
  stream.send({ type: 'flush' });
  ({ text } = await stream.next('final'));
  expect(text).not.toBe('');
  stream.close();
  await stage.settled(caller);

  const spans = await traceOf(session, ...CREATED, ...STREAMED);
  const post = named(spans, POST);
  const handshake = named(spans, HANDSHAKE);
  const live = named(spans, 'stream');
  const relay = named(spans, 'relay');
  const recognize = named(spans, 'recognize');
  const parents = Object.fromEntries(spans.map(({ name, parentSpanId }) => [name, parentSpanId]));
  expect(parents).toEqual({
    [POST]: '',
    reserve: post.spanId,
    claim: post.spanId,
    confirm: post.spanId,
    [HANDSHAKE]: post.spanId,
    stream: handshake.spanId,
    place: live.spanId,
    relay: live.spanId,
    recognize: relay.spanId,
    utterance: recognize.spanId,
    settle: live.spanId,
  });
  expect(spans).toHaveLength(Object.keys(parents).length);

  expect(post.links).toEqual([expect.objectContaining(CALLER)]);
  expect(post.attributes).toMatchObject({
    'http.response.status_code': 201,
    'svc_asr.session.id': session.id,
    'svc_asr.model': MODEL,
  });
  expect(handshake.attributes).toMatchObject({ 'http.response.status_code': 101 });
  expect(live.events).toEqual(['ready', 'final']);
  expect(live.attributes).toMatchObject({ 'svc_asr.outcome': 'completed', 'svc_asr.reason': 'client closed' });
  expect(recognize.service).toBe('svc-asr-worker');
  expect(recognize.attributes['svc_asr.worker.id']).toBe(relay.attributes['svc_asr.worker.id']);
  const { attributes } = named(spans, 'utterance');
  expect(attributes['svc_asr.audio.seconds']).toBeCloseTo(pcm.length / 32_000);
  expect(attributes['svc_asr.windows']).toBeGreaterThan(0);
  expect(attributes['svc_asr.batch.mean_size']).toBeGreaterThanOrEqual(1);
  expect(attributes['svc_asr.run.seconds']).toBeGreaterThan(0);
  expect(attributes['svc_asr.batch.wait_seconds']).toBeGreaterThanOrEqual(0);
  for (const { startMs, endMs } of spans) expect(endMs).toBeGreaterThanOrEqual(startMs);
});

test('for each worker of a stream that moved, the trace has a place span, a relay span and a recognize span', async () => {
  const caller = await stage.caller();
  const session = await create(caller.key);
  const stream = await openStream(session);
  await stream.next('ready');
  stream.audio(pcm);
  const { worker: id } = await eventually('the stream is on a worker', WAIT_MS, async () => {
    const workers = await stage.ledger.workers.list(MODEL);
    const worker = workers.find(({ active }) => active > 0)?.id;
    return worker === undefined ? undefined : { worker };
  });
  await stage.workers.find((worker) => worker.id === id)?.stop();
  stage.workers.splice(
    stage.workers.findIndex((worker) => worker.id === id),
    1,
  );
  stream.send({ type: 'flush' });
  await stream.next('final', WAIT_MS);
  stream.close();
  await stage.settled(caller);

  const spans = await traceOf(session, ...CREATED, ...STREAMED, 'place', 'relay', 'recognize');
  const of = (name: string) => spans.filter((span) => span.name === name);
  expect(of('place')).toHaveLength(2);
  const relays = of('relay');
  expect(of('recognize').map(({ parentSpanId }) => parentSpanId)).toEqual(
    expect.arrayContaining(relays.map(({ spanId }) => spanId)),
  );
  expect(named(spans, 'stream').events).toEqual(['ready', 'worker moved', 'final']);
});

test('a repeated request with an Idempotency-Key joins the trace of its session', async () => {
  const caller = await stage.caller();
  const key = { 'Idempotency-Key': 'again' };
  const first = await create(caller.key, key);
  const second = await create(caller.key, key);
  expect(second.id).toBe(first.id);
  const posts = (await traceOf(first, POST, POST)).filter(({ name }) => name === POST);
  const root = posts.find(({ parentSpanId }) => parentSpanId === '');
  expect(posts.filter((post) => post !== root).map(({ parentSpanId }) => parentSpanId)).toEqual([root?.spanId]);
});

test('a handshake that is refused because its credential was already used has a span with its error code', async () => {
  const caller = await stage.caller();
  const session = await create(caller.key);
  const [protocol = ''] = session.websocket_protocols;
  // A handshake without a valid credential creates no span.
  await expect(openStream(session, [protocol, 'svc.auth.wrong'])).rejects.toMatchObject({ status: 401 });
  const stream = await openStream(session);
  await expect(openStream(session)).rejects.toMatchObject({ status: 401 });
  stream.close();
  const spans = await traceOf(session, HANDSHAKE, HANDSHAKE);
  const refused = { 'http.response.status_code': 401, 'error.type': 'invalid_session_credential' };
  const attributesOfHandshakes = spans.filter(({ name }) => name === HANDSHAKE).map(({ attributes }) => attributes);
  expect(attributesOfHandshakes).toHaveLength(2);
  expect(attributesOfHandshakes).toContainEqual(expect.objectContaining(refused));
});

test('metrics are exported with OpenTelemetry names and units', async () => {
  const gateway = await eventually('the gateway exports its metrics', WAIT_MS, () => {
    const names = receiver.metrics.get('svc-asr-gateway');
    return names?.has('svc_asr_ready_latency_seconds') === true && names;
  });
  expect(gateway.get('http.server.request.duration')).toBe('s');
  await eventually('the worker exports its metrics', WAIT_MS, () =>
    receiver.metrics.get('svc-asr-worker')?.has('svc_asr_worker_run_seconds'),
  );
  const scraped = await (await fetch(`${stage.gateway.adminUrl}/metrics`)).text();
  expect(scraped).toContain('http_server_request_duration_seconds_bucket{');
  expect(scraped).toContain('svc_asr_http_requests_total{');
  expect(receiver.headers.every((headers) => headers['x-receiver'] === 'test header')).toBe(true);
});

test('exported telemetry contains no key, credential, tenant or transcript', async () => {
  const caller = await stage.caller();
  const session = await create(caller.key);
  await traceOf(session, POST);
  const sent = receiver.raw.join('\n');
  for (const secret of [caller.key, caller.tenant, 'svc.auth.', 'svc_live_', 'Bearer', text]) {
    expect(sent).not.toContain(secret);
  }
});
