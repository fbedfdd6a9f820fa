import type { AsrSession } from '@svc-asr/core';
import { balanceOf, refusal, sessionOf } from '../support/refusals.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../support/service.ts';
import type { Service } from '../support/service.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const KIKUYU = 'svc-asr-kikuyu-v1';

let service: Service;
let key: string;
beforeAll(async () => {
  service = await startService({ env: { PUBLIC_URL: 'https://asr.example.test:9443/' } });
  ({ key } = await service.tenant({ seconds: 100_000 }));
}, START_TIMEOUT_MS);
afterAll(stopServices, START_TIMEOUT_MS);

describe('a created session', () => {
  test('has exactly the documented fields with their types and constants', async () => {
    const { key: own } = await service.tenant({ seconds: 1000 });
    const session = sessionOf(await service.create(own, { model: KIKUYU, max_audio_seconds: 90 }));
    const { id } = session;
    expect(id).toMatch(UUID);
    expect(session).toStrictEqual({
      id,
      object: 'asr.session',
      status: 'reserved',
      model: KIKUYU,
      websocket_url: `wss://asr.example.test:9443/v1/asr/sessions/${id}/stream`,
      websocket_protocols: ['svc.realtime.v1', expect.stringMatching(/^svc\.auth\.[A-Za-z0-9_-]{43,}$/)],
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
      audio: {
        encoding: 'pcm_s16le',
        sample_rate_hz: 16_000,
        channels: 1,
        max_audio_seconds: 90,
        context_size: [56, 13],
      },
      credits: { unit: 'audio_second', reserved: 90, remaining: 910 },
    });
  });

  test.each([KIKUYU, 'svc-asr-dholuo-v1'])('has the requested model %s', async (model) => {
    expect(sessionOf(await service.create(key, { model })).model).toBe(model);
  });

  test('expires exactly 60 seconds after its creation', async () => {
    const session = sessionOf(await service.create(key));
    const [newest] = balanceOf(await service.usage(key)).recent_sessions;
    expect(newest?.id).toBe(session.id);
    expect(Date.parse(session.expires_at) - Date.parse(newest!.created_at)).toBe(60_000);
  });

  test('has a WebSocket URL built from PUBLIC_URL, whatever hosts the request names', async () => {
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.example;proto=http',
    };
    const answer = await service.create(key, undefined, headers);
    expect(sessionOf(answer).websocket_url).toMatch(/^wss:\/\/asr\.example\.test:9443\/v1\/asr\/sessions\//);
    expect(answer.text).not.toContain('evil');
  });

  test('has its own credential', async () => {
    const sessions = await Promise.all(Array.from({ length: 10 }, () => service.create(key)));
    const parts = sessions.map(sessionOf).flatMap((session) => [session.id, session.websocket_protocols[1]]);
    expect(new Set(parts).size).toBe(20);
  });

  test('must not be cached', async () => {
    const answer = await service.create(key);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers.etag).toBeUndefined();
  });
});

describe('the reservation of a session', () => {
  const amounts = ({ audio, credits }: AsrSession) => [audio.max_audio_seconds, credits.reserved, credits.remaining];

  test('is 60 seconds by default', async () => {
    const { key: own } = await service.tenant({ seconds: 200 });
    expect(amounts(sessionOf(await service.create(own)))).toEqual([60, 60, 140]);
  });

  test.each([1, 2, 299, 300])('is %i seconds if requested and available', async (seconds) => {
    const session = sessionOf(await service.create(key, { model: KIKUYU, max_audio_seconds: seconds }));
    expect(amounts(session).slice(0, 2)).toEqual([seconds, seconds]);
  });

  test('is the remaining credit if that is less, down to one second', async () => {
    const { key: own } = await service.tenant({ seconds: 46 });
    const create = async (seconds: number) =>
      amounts(sessionOf(await service.create(own, { model: KIKUYU, max_audio_seconds: seconds })));
    await expect(create(20)).resolves.toEqual([20, 20, 26]);
    await expect(create(25)).resolves.toEqual([25, 25, 1]);
    await expect(create(300)).resolves.toEqual([1, 1, 0]);
    expect(refusal(await service.create(own, { model: KIKUYU, max_audio_seconds: 1 }))).toBe('insufficient_credits');
  });

  test('is refused without credit, and nothing is reserved', async () => {
    const { key: own } = await service.tenant({ seconds: 0 });
    expect(refusal(await service.create(own))).toBe('insufficient_credits');
    expect(balanceOf(await service.usage(own))).toMatchObject({
      available_ms: 0,
      reserved_ms: 0,
      consumed_ms: 0,
      recent_sessions: [],
    });
  });

  test('equals the credit exactly when many requests arrive at once', async () => {
    const { key: own } = await service.tenant({ seconds: 100 });
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => service.create(own, { model: KIKUYU, max_audio_seconds: 7 })),
    );
    const created = answers.filter(({ status }) => status === 201).map(sessionOf);
    expect(created.map(({ credits }) => credits.reserved).reduce((a, b) => a + b)).toBe(100);
    expect(created).toHaveLength(15);
    for (const answer of answers) if (answer.status !== 201) expect(refusal(answer)).toBe('insufficient_credits');
    expect(balanceOf(await service.usage(own))).toMatchObject({ available_ms: 0, reserved_ms: 100_000 });
  });
});
