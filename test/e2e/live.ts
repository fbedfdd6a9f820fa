import { expectBalanced } from './books.ts';
import { open, startSpeaking } from './speak.ts';
import type { Access, Speech } from './speak.ts';
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
