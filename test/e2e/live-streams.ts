import { send } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { expectBalanced } from './balances.ts';
import { SOON_MS } from './harness.ts';
import type { Harness } from './harness.ts';
import { createSession, openStream, startAudioSender } from './streams.ts';
import type { Access, AudioSender } from './streams.ts';

export const KIKUYU = 'svc-asr-kikuyu-v1';
export const TENANT = 'acme-radio';

/** Creates an API key of the test tenant. */
export async function openAccess(harness: Harness): Promise<Access> {
  const key = await (await harness.openAdmin()).key(TENANT);
  return { baseUrl: harness.baseUrl, ca: await harness.readCa(), key };
}

/**
 * Streams audio on two streams while `disrupt` runs. Neither stream may be interrupted, and the account must balance
 * afterwards.
 */
export async function underLiveStreams(harness: Harness, access: Access, disrupt: () => Promise<void>): Promise<void> {
  const senders: AudioSender[] = [];
  for (let i = 0; i < 2; i++) {
    const stream = await openStream(access, KIKUYU, 300);
    await stream.next('ready', 60_000);
    senders.push(startAudioSender(stream, 'ki_espeak_009', KIKUYU));
  }
  await disrupt();
  for (const sender of senders) expect(await sender.finish()).toBeGreaterThan(0);
  await expectBalanced(harness, TENANT);
}

/**
 * Calls `change`, which changes the version of the service, while streams are live. Each of the two versions must
 * understand the records that the other version has written. Each version must release and report a session that the
 * other version reserved and that no client opened.
 */
export async function acrossVersions(harness: Harness, access: Access, change: () => Promise<void>): Promise<void> {
  const { baseUrl, ca, key } = access;
  const headers = { authorization: `Bearer ${key}` };
  const { id } = await createSession(access, KIKUYU, 30);
  await underLiveStreams(harness, access, change);
  const ended = await eventually('the session that was never opened has ended', SOON_MS, async () => {
    const { body } = await send(`${baseUrl}/v1/usage`, { method: 'GET', ca, headers });
    const { recent_sessions: sessions } = body as { recent_sessions: { id: string; status: string }[] };
    return sessions.find((session) => session.id === id && session.status !== 'reserved');
  });
  expect(ended).toMatchObject({ status: 'expired', billable_ms: 0 });
}
