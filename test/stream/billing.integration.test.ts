import fc from 'fast-check';
import { eventually } from '../support/eventually.ts';
import { CREDIT_MS, setStage, STAGE_TIMEOUT_MS } from './stage.ts';
import type { Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
}, STAGE_TIMEOUT_MS);
afterAll(() => stage.stop());

/** Frame sizes at the limits and between them, including odd numbers of bytes. */
const frame = fc.oneof(fc.constantFrom(0, 1, 2, 3, 640, 3200, 32_000, 65_535, 65_536), fc.nat(65_536));
const step = fc.oneof(
  { weight: 8, arbitrary: frame },
  { weight: 1, arbitrary: fc.constantFrom('flush' as const, 'reset' as const) },
);
const scenario = fc.record({
  seconds: fc.constantFrom(1, 2, 3, 5),
  steps: fc.array(step, { maxLength: 12 }),
  ending: fc.constantFrom('close', 'flush and close', 'terminate', 'too large', 'limit'),
});

/**
 * Returns how many samples the service must accept for these steps. The calculation follows the documentation, not the
 * code of the service.
 */
function acceptedSamples(steps: readonly (number | string)[], seconds: number): number {
  const sound = steps.filter((item): item is number => typeof item === 'number' && item % 2 === 0);
  return Math.min(
    sound.reduce((sum, bytes) => sum + bytes / 2, 0),
    seconds * 16_000,
  );
}

test('audio_ms is the duration of the accepted samples, and billable_ms is this duration rounded up to whole seconds', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ seconds, steps, ending }) => {
      const opened = await stage.ready(seconds);
      const { stream } = opened;
      for (const item of steps) {
        if (typeof item === 'number') stream.socket.send(Buffer.alloc(item, 1));
        else stream.send({ type: item });
      }
      let samples = acceptedSamples(steps, seconds);
      const full = samples === seconds * 16_000;
      if (ending === 'limit') {
        stream.audio(Buffer.alloc(seconds * 32_000), 32_000);
        samples = seconds * 16_000;
        expect(await stream.closed).toEqual({ code: 1000, reason: 'audio_limit_reached' });
      } else if (ending === 'too large') {
        stream.socket.send(Buffer.alloc(65_538));
        expect((await stream.closed).code).toBe(full ? 1000 : 1009);
      } else if (ending === 'terminate') {
        // Data in flight is lost when a connection breaks, so the test waits until everything has arrived.
        if (!full) {
          stream.send({ type: 'flush' });
          const finals = steps.filter((item) => item === 'flush').length + 1;
          for (let at = 0; at < finals; at++) await stream.next('final');
        } else await stream.next('final');
        stream.socket.terminate();
      } else {
        if (ending === 'flush and close') stream.send({ type: 'flush' });
        stream.close();
        await stream.closed;
      }
      const settled = await stage.settled(opened);
      const billableMs = Math.ceil(samples / 16_000) * 1000;
      expect(settled).toMatchObject({ state: 'completed', audioMs: Math.ceil(samples / 16), billableMs });
      expect(settled.billableMs).toBeLessThanOrEqual(seconds * 1000);
      expect(settled.balance).toEqual({
        grantedMs: CREDIT_MS,
        reservedMs: 0,
        consumedMs: billableMs,
        availableMs: CREDIT_MS - billableMs,
      });
    }),
    { numRuns: 60 },
  );
});

test('GET /v1/usage reports the audio and the charge of a settled session', async () => {
  const opened = await stage.ready(2);
  opened.stream.socket.send(Buffer.alloc(32_002));
  opened.stream.close();
  await stage.settled(opened);
  const usage = await fetch(`${stage.gateway.baseUrl}/v1/usage`, {
    headers: { Authorization: `Bearer ${opened.key}` },
  });
  expect(await usage.json()).toMatchObject({
    available_ms: CREDIT_MS - 2000,
    reserved_ms: 0,
    consumed_ms: 2000,
    recent_sessions: [{ id: opened.session.id, status: 'completed', audio_ms: 1001, billable_ms: 2000 }],
  });
});

test('an active stream holds its reservation, and a tenant with a concurrency limit of 1 cannot create a second session meanwhile', async () => {
  const opened = await stage.ready(5);
  opened.stream.socket.send(Buffer.alloc(64_000));
  const { balance, recent } = (await stage.ledger.accounts.usage(opened.tenant))!;
  expect(balance).toMatchObject({ reservedMs: 5000, consumedMs: 0 });
  expect(recent[0]).toMatchObject({ state: 'active' });
  await expect(stage.session(opened)).rejects.toThrow('concurrency_limit_exceeded');
  opened.stream.close();
  await stage.settled(opened);
  await eventually('the tenant can create another session', 30_000, async () => (await stage.session(opened)).id);
});
