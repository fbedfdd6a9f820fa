import { eventually } from '../support/eventually.ts';
import { expectBalanced } from './balances.ts';
import { openHarness, SOON_MS, until, within } from './harness.ts';
import type { Harness } from './harness.ts';
import { KIKUYU, openAccess, TENANT } from './live-streams.ts';
import { buildModel, MODEL_NAMESPACE } from './release.ts';
import { openStream, startAudioSender } from './streams.ts';
import type { Access } from './streams.ts';

const DHOLUO = 'svc-asr-dholuo-v1';
let harness: Harness;
/** Access to the namespace of the Dholuo model. */
let models: Harness;
let access: Access;

beforeAll(async () => {
  harness = await openHarness();
  models = within(harness, MODEL_NAMESPACE);
  access = await openAccess(harness);
});

/** Opens a stream. Undefined if the gateway has not read the catalogue with the new model yet. */
const openUnlessUnknown = () =>
  openStream(access, DHOLUO).catch((error: unknown) => {
    if (String(error).includes('model_not_found')) return undefined;
    throw error;
  });

test('the pool of a model in another namespace starts a worker for a waiting stream, and scales back to zero', async () => {
  const model = buildModel(DHOLUO, 'Dholuo', 'luo', { min: 0, max: 2, idleToZeroSeconds: 5 });
  await models.kubectl(['apply', '-f', '-'], { input: JSON.stringify(model) });
  await until(models, `asrmodel/${DHOLUO}`, '.status.conditions[?(@.type=="Ready")].status', 'True');
  const stream = await eventually('every gateway knows the model', SOON_MS, openUnlessUnknown);
  await stream.next('ready', 150_000);
  expect(stream.events).toContainEqual(expect.objectContaining({ type: 'status', state: 'waiting_for_capacity' }));
  const sender = startAudioSender(stream, 'luo_espeak_036', DHOLUO);
  const ofModel = ['get', 'pods', '-l', `asr.svc.dev/model=${DHOLUO}`, '-o', 'name'];
  expect([await models.kubectl(ofModel), await harness.kubectl(ofModel)]).toEqual([expect.stringMatching(/^pod/), '']);
  expect(await sender.finish()).toBeGreaterThan(0);
  await until(models, `asrmodel/${DHOLUO}`, '.status.replicas', /^0?$/);
  await expectBalanced(harness, TENANT);
});

test('a pool adds a worker when its streams need one, removes a worker when the streams have ended, and interrupts no stream', async () => {
  const streams = [];
  // A worker has two slots, so the third stream needs a second worker.
  for (let i = 0; i < 3; i++) streams.push(await openStream(access, KIKUYU, 120));
  for (const stream of streams) await stream.next('ready', 150_000);
  await until(harness, `asrmodel/${KIKUYU}`, '.status.readyReplicas', '2');
  const senders = streams.map((stream) => startAudioSender(stream, 'ki_espeak_009', KIKUYU));
  for (const sender of senders) expect(await sender.finish()).toBeGreaterThan(0);
  await until(harness, `asrmodel/${KIKUYU}`, '.status.replicas', '1');
  await expectBalanced(harness, TENANT);
});
