import { join } from 'node:path';
import fc from 'fast-check';
import { goldenFolder, readWav } from '../../testing/data.ts';
import { createGpuFolder } from '../../testing/folder.ts';
import type { Work } from '../backend.ts';
import { Lane } from '../lane.ts';
import type { StreamEvent } from '../protocol.ts';
import { AudioRing, createSharedBuffers } from '../shared.ts';
import { DeviceBackend } from './backend.ts';

const SLOTS = 4;
const MAX_BATCH = 3;
const CONTEXT = '56,13';
const audio = readWav(join(goldenFolder, 'speech.wav'));
const shared = createSharedBuffers(SLOTS);

let backend: DeviceBackend;
const alone = new Map<string, Promise<string>>();

async function load(kind: 'ctc' | 'fused'): Promise<void> {
  alone.clear();
  backend = await DeviceBackend.load(createGpuFolder(kind), {
    provider: 'cpu',
    threads: 1,
    maxBatch: MAX_BATCH,
    maxSlots: SLOTS,
  });
}

/** Fills the memory for the state of all streams with NaN. */
function poison(): void {
  backend.memory.arenas.poison();
  backend.memory.states?.poison();
}

interface Speech {
  from: number;
  length: number;
}

const SPEECH: Speech = { from: 1, length: 50_000 };

let lastId = 0;

/** Starts a stream with all of its audio in the ring and a flush at its end. */
function open(slot: number, { from, length }: Speech): Lane {
  const ring = new AudioRing(shared, slot);
  ring.clear();
  ring.write(audio.subarray(from, from + length));
  const shape = backend.contexts.get(CONTEXT);
  if (shape === undefined) throw new Error('the model has no default context');
  const startSearch = () => backend.startSearch();
  const lane = new Lane({ id: ++lastId, slot, context: CONTEXT, shape, ring, utterance: 0, startSearch });
  ring.mark();
  lane.mark({ kind: 'flush', at: length });
  return lane;
}

const readyWork = (lane: Lane): Work[] => {
  const next = lane.next();
  return next.kind === 'run' ? [{ lane, length: next.length }] : [];
};

/** Runs one window of each lane and returns the texts of utterances that ended. */
async function runWindows(lanes: readonly Lane[]): Promise<Map<number, string>> {
  const work = lanes.flatMap(readyWork);
  const runner = backend.createRunner(SLOTS, () => undefined);
  const events: StreamEvent[] = work.length > 0 ? await runner.run(work, () => true) : [];
  for (const lane of lanes) if (readyWork(lane).length === 0) events.push(...lane.settle());
  const failures = events.filter(({ kind }) => kind === 'failed');
  expect(failures).toEqual([]);
  return new Map(events.flatMap((event) => (event.kind === 'final' ? [[event.id, event.final.text]] : [])));
}

/** Transcribes speech while no other stream uses the device. */
function transcribeAlone(speech: Speech): Promise<string> {
  const key = JSON.stringify(speech);
  const known = alone.get(key) ?? run();
  alone.set(key, known);
  return known;

  async function run(): Promise<string> {
    poison();
    const lane = open(0, speech);
    for (;;) {
      const text = (await runWindows([lane])).get(lane.id);
      if (text !== undefined) return text;
    }
  }
}

const speech = fc.record({ from: fc.nat(60_000), length: fc.integer({ min: 1, max: 60_000 }) });
const action = fc.oneof(
  fc.record({ open: speech, slot: fc.nat(SLOTS - 1) }),
  fc.record({ run: fc.uniqueArray(fc.nat(SLOTS - 1), { minLength: 1, maxLength: MAX_BATCH }) }),
  fc.record({ close: fc.nat(SLOTS - 1) }),
);

const isZero = (bytes: ArrayBuffer | undefined): boolean => new Uint8Array(bytes ?? [1]).every((byte) => byte === 0);

describe.each([
  ['CTC model', 'ctc'],
  ['transducer', 'fused'],
] as const)('DeviceRunner with a %s', (_, kind) => {
  beforeAll(() => load(kind));

  test('transcribes a stream as if it were alone, whichever streams used its slot before or share its batches', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), async (actions) => {
        const ended: { speech: Speech; text: string }[] = [];
        const lanes = new Map<number, { lane: Lane; speech: Speech }>();
        const runSlots = async (slots: readonly number[]): Promise<void> => {
          const chosen = slots.flatMap((slot) => lanes.get(slot) ?? []);
          const texts = await runWindows(chosen.map(({ lane }) => lane));
          for (const { lane, speech: spoken } of chosen) {
            const text = texts.get(lane.id);
            if (text === undefined) continue;
            ended.push({ speech: spoken, text });
            lanes.delete(lane.slot);
          }
        };
        // All pages contain NaN at first. If a stream reads a page before it has written the page, its scores become
        // NaN.
        poison();
        for (const one of actions) {
          if ('open' in one) lanes.set(one.slot, { lane: open(one.slot, one.open), speech: one.open });
          else if ('close' in one) lanes.delete(one.close);
          else await runSlots(one.run);
        }
        while (lanes.size > 0) await runSlots([...lanes.keys()].slice(0, MAX_BATCH));
        for (const { speech: spoken, text } of ended) expect(text).toBe(await transcribeAlone(spoken));
      }),
      { numRuns: 10 },
    );
  });

  test('never writes to the zero page, the zero tail and the zero state', async () => {
    poison();
    await transcribeAlone(SPEECH);
    for (const name of backend.memory.arenas.tensors.keys()) {
      const frames = name.startsWith('tails')
        ? backend.memory.arenas.state.tail
        : backend.memory.arenas.size.pageFrames;
      expect(isZero(backend.memory.arenas.read(name, 0, frames))).toBe(true);
    }
    const { states } = backend.memory;
    for (const name of states?.tensors.keys() ?? []) expect(isZero(states?.read(name, 0))).toBe(true);
  });

  test('ends a stream with an error only if its own scores are not numbers', async () => {
    poison();
    const [broken, sound] = [open(0, SPEECH), open(1, SPEECH)];
    const runner = backend.createRunner(SLOTS, () => undefined);
    await runner.run(readyWork(broken), () => true);
    // The first window of a stream reads only zeros. The next run is the first window of `sound` and the second of
    // `broken`, so only `broken` reads NaN.
    poison();
    const events = await runner.run([...readyWork(broken), ...readyWork(sound)], () => true);
    expect(events.filter(({ kind }) => kind === 'failed')).toEqual([
      { id: broken.id, kind: 'failed', message: 'the model returned a score that is not a number' },
    ]);
    expect(events.filter(({ id }) => id === sound.id)).not.toEqual([]);
  });

  test('returns no events for a stream that was closed during the run', async () => {
    const [closed, kept] = [open(0, SPEECH), open(1, SPEECH)];
    const runner = backend.createRunner(SLOTS, () => undefined);
    const events = await runner.run([...readyWork(closed), ...readyWork(kept)], (lane) => lane === kept);
    expect(new Set(events.map(({ id }) => id))).toEqual(new Set([kept.id]));
  });
});
