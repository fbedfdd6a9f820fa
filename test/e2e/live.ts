import { send } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import type { SessionBody } from '../support/stream-client.ts';
import { expectBalanced } from './books.ts';
import { open, startSpeaking } from './speak.ts';
import type { Access, Speech } from './speak.ts';
import { SOON_MS } from './stage.ts';
import type { Stage } from './stage.ts';

export const KIKUYU = 'svc-asr-kikuyu-v1';
export const TENANT = 'acme-radio';

/** What a developer of the tenant has. */
export async function openAccess(stage: Stage): Promise<Access> {
  const key = await (await stage.admin()).key(TENANT);
  return { baseUrl: stage.baseUrl, ca: await stage.authority(), key };
}

/** Two people speak while something happens: neither may notice it, and the books must balance afterwards. */
export async function underLiveStreams(stage: Stage, access: Access, disturb: () => Promise<void>): Promise<void> {
  const speeches: Speech[] = [];
  for (let i = 0; i < 2; i++) {
    const stream = await open(access, KIKUYU, 300);
    await stream.next('ready', 60_000);
    speeches.push(startSpeaking(stream, 'ki_espeak_009', KIKUYU));
  }
  await disturb();
  for (const speech of speeches) expect(await speech.finish()).toBeGreaterThan(0);
  await expectBalanced(stage, TENANT);
}

/**
 * The version changes while people speak. What the one wrote down the other has to understand: a session that the one
 * reserved and nobody opens is given back, and told of, by the other.
 */
export async function acrossVersions(stage: Stage, access: Access, change: () => Promise<void>): Promise<void> {
  const { baseUrl, ca, key } = access;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = { model: KIKUYU, max_audio_seconds: 30 };
  const reserved = await send(`${baseUrl}/v1/asr/sessions`, { method: 'POST', ca, headers, body });
  expect(reserved.status).toBe(201);
  await underLiveStreams(stage, access, change);
  const { id } = reserved.body as SessionBody;
  const ended = await eventually('the session that nobody opened has ended', SOON_MS, async () => {
    const { body: usage } = await send(`${baseUrl}/v1/usage`, { method: 'GET', ca, headers });
    const { recent_sessions: told } = usage as { recent_sessions: { id: string; status: string }[] };
    return told.find((session) => session.id === id && session.status !== 'reserved');
  });
  expect(ended).toMatchObject({ status: 'expired', billable_ms: 0 });
}
