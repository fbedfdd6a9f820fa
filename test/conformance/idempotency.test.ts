import { randomUUID } from 'node:crypto';
import type { Answer } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { balanceOf, refusal, sessionOf } from '../support/refusals.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../support/service.ts';
import type { Service } from '../support/service.ts';

const KIKUYU = 'svc-asr-kikuyu-v1';
const DHOLUO = 'svc-asr-dholuo-v1';

let service: Service;
let key: string;
beforeAll(async () => {
  service = await startService();
  ({ key } = await service.tenant({ seconds: 1_000_000 }));
}, START_TIMEOUT_MS);
afterAll(stopServices, START_TIMEOUT_MS);

const create = (apiKey: string, idempotencyKey: string, body: unknown = { model: KIKUYU }): Promise<Answer> =>
  service.create(apiKey, body, { 'idempotency-key': idempotencyKey });

test('a repeated request returns the same session with its credential and reserves nothing more', async () => {
  const { key: own } = await service.tenant();
  const idempotencyKey = randomUUID();
  const first = await create(own, idempotencyKey);
  const second = await create(own, idempotencyKey);
  expect(sessionOf(second)).toStrictEqual(sessionOf(first));
  expect(second.headers['cache-control']).toBe('no-store');
  expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
  const balance = balanceOf(await service.usage(own));
  expect(balance.reserved_ms).toBe(60_000);
  expect(balance.recent_sessions).toHaveLength(1);
});

test('request bodies are equal if they are equal with defaults filled in', async () => {
  const idempotencyKey = randomUUID();
  const first = sessionOf(await create(key, idempotencyKey, `{"model":"${KIKUYU}"}`));
  for (const body of [
    `{"model":"${KIKUYU}","max_audio_seconds":60}`,
    ` {"max_audio_seconds": 6e1, "model": "${KIKUYU}"} `,
  ]) {
    expect(sessionOf(await create(key, idempotencyKey, body))).toStrictEqual(first);
  }
});

test.each([
  ['another limit', { model: KIKUYU, max_audio_seconds: 61 }],
  ['another model', { model: DHOLUO }],
])('the same Idempotency-Key with %s is a conflict that changes nothing', async (_what, other) => {
  const { key: own } = await service.tenant();
  const idempotencyKey = randomUUID();
  const first = sessionOf(await create(own, idempotencyKey));
  expect(refusal(await create(own, idempotencyKey, other))).toBe('idempotency_conflict');
  expect(sessionOf(await create(own, idempotencyKey))).toStrictEqual(first);
  expect(balanceOf(await service.usage(own)).recent_sessions).toHaveLength(1);
});

test('another Idempotency-Key, or none, creates another session', async () => {
  const answers = [
    await create(key, 'one'),
    await create(key, 'two'),
    await service.create(key),
    await service.create(key),
  ];
  expect(new Set(answers.map((answer) => sessionOf(answer).id)).size).toBe(4);
  expect(sessionOf(await create(key, 'ONE')).id).not.toBe(sessionOf(answers[0]!).id);
});

test('a repeated request succeeds where a new session would be refused', async () => {
  const limits = { concurrentSessions: 1, sessionsPerMinute: 1 };
  const own = await service.tenant({ seconds: 45, limits });
  const idempotencyKey = randomUUID();
  const first = sessionOf(await create(own.key, idempotencyKey));
  expect(first.credits).toMatchObject({ reserved: 45, remaining: 0 });
  expect((await service.create(own.key)).status).toBe(429);
  expect(sessionOf(await create(own.key, idempotencyKey))).toStrictEqual(first);
});

test('100 parallel requests with one Idempotency-Key create one session', async () => {
  const { key: own, name } = await service.tenant({ limits: { concurrentSessions: 1 } });
  const idempotencyKey = randomUUID();
  const answers = await Promise.all(Array.from({ length: 100 }, () => create(own, idempotencyKey)));
  const first = sessionOf(answers[0]!);
  for (const answer of answers) expect(sessionOf(answer)).toStrictEqual(first);
  expect(await service.admin.account(name)).toMatchObject({ live_sessions: 1, credits: { reserved_ms: 60_000 } });
  expect(balanceOf(await service.usage(own)).recent_sessions.map(({ id }) => id)).toEqual([first.id]);
});

test('parallel requests with one Idempotency-Key and two bodies create one session and conflicts', async () => {
  const { key: own } = await service.tenant();
  const idempotencyKey = randomUUID();
  const bodies = [{ model: KIKUYU }, { model: DHOLUO }];
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, at) => create(own, idempotencyKey, bodies[at % bodies.length])),
  );
  const created = answers.filter(({ status }) => status === 201).map(sessionOf);
  expect(new Set(created.map(({ id }) => id)).size).toBe(1);
  expect(created).toHaveLength(20);
  for (const answer of answers) if (answer.status !== 201) expect(refusal(answer)).toBe('idempotency_conflict');
  expect(balanceOf(await service.usage(own)).reserved_ms).toBe(60_000);
});

test('a refused request can be repeated with the same Idempotency-Key', async () => {
  const own = await service.tenant({ seconds: 0 });
  const idempotencyKey = randomUUID();
  expect(refusal(await create(own.key, idempotencyKey, '{'))).toBe('invalid_json');
  expect(refusal(await create(own.key, idempotencyKey, {}))).toBe('invalid_parameters');
  expect(refusal(await create(own.key, idempotencyKey, { model: 'none' }))).toBe('model_not_found');
  expect(refusal(await create(own.key, idempotencyKey))).toBe('insufficient_credits');
  await service.admin.call('POST', `/tenants/${own.name}/grants`, { id: 'later', audio_seconds: 30 });
  const session = await eventually('the grant is applied', 5000, async () => {
    const answer = await create(own.key, idempotencyKey, { model: DHOLUO });
    return answer.status === 201 && sessionOf(answer);
  });
  expect(session).toMatchObject({ model: DHOLUO, credits: { reserved: 30, remaining: 0 } });
});
