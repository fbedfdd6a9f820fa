import { expectBalanced } from './books.ts';
import { KIKUYU, openAccess, TENANT } from './live.ts';
import { open, startSpeaking } from './speak.ts';
import type { Access } from './speak.ts';
import { openStage, until } from './stage.ts';
import type { Stage } from './stage.ts';

const DHOLUO = 'svc-asr-dholuo-v1';
let stage: Stage;
let access: Access;

beforeAll(async () => {
  stage = await openStage();
  access = await openAccess(stage);
});
afterAll(() => stage.close());

test('a pool at zero starts a worker for who waits, who is told so, and goes back to zero', async () => {
  await until(stage, `asrmodel/${DHOLUO}`, '.status.replicas', /^0?$/);
  const stream = await open(access, DHOLUO);
  await stream.next('ready', 150_000);
  expect(stream.events).toContainEqual(expect.objectContaining({ type: 'status', state: 'waiting_for_capacity' }));
  const speech = startSpeaking(stream, 'luo_espeak_036', DHOLUO);
  expect(await speech.finish()).toBeGreaterThan(0);
  await until(stage, `asrmodel/${DHOLUO}`, '.status.replicas', /^0?$/);
  await expectBalanced(stage, TENANT);
});

test('a pool grows with its streams and shrinks after them, and cuts none', async () => {
  const streams = [];
  // Two slots a worker: the third stream needs a second one.
  for (let i = 0; i < 3; i++) streams.push(await open(access, KIKUYU, 120));
  for (const stream of streams) await stream.next('ready', 150_000);
  await until(stage, `asrmodel/${KIKUYU}`, '.status.readyReplicas', '2');
  const speeches = streams.map((stream) => startSpeaking(stream, 'ki_espeak_009', KIKUYU));
  for (const speech of speeches) expect(await speech.finish()).toBeGreaterThan(0);
  await until(stage, `asrmodel/${KIKUYU}`, '.status.replicas', '1');
  await expectBalanced(stage, TENANT);
});
