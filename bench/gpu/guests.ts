import { startEngine } from '@svc-asr/worker';
import type { Context, Engine } from '@svc-asr/worker';
import { shareMachine } from '../../worker/src/engine/share.ts';
import { transcribe } from './agreement.ts';
import { usedDeviceMiB } from './device-memory.ts';
import { readRecordings } from './speech.ts';

/** Models that one process serves, each with its own engine. */
export interface GuestsOptions {
  readonly models: readonly string[];
  readonly provider: string;
  /** Further options of each engine. */
  readonly engine: Partial<Parameters<typeof startEngine>[0]>;
  readonly logProgress: (line: string) => void;
}

export interface GuestsResult {
  /**
   * Number of compared transcripts. Each is compared with the transcript that the same engine returned when it was the
   * only engine in the process.
   */
  readonly compared: number;
  readonly different: number;
  /**
   * Used device memory in MiB after the start of all engines, and after each restart of the first one. Empty on a
   * machine without a GPU.
   */
  readonly memory: readonly number[];
}

/** Number of times that the first engine is closed and restarted while the others transcribe. */
const RESTARTS = 3;
/**
 * Time in which a starting engine measures how many slots it has. It is short, because the number of slots does not
 * matter here.
 */
const MEASURE_MS = 1000;

/** A model, with the transcripts that its engine returned when it was the only engine in the process. */
interface Guest {
  readonly modelDir: string;
  readonly alone: readonly string[];
  engine: Engine;
}

/**
 * Runs several engines in one process and on one device. Compares the transcripts of each engine with those that it
 * returned when it was the only engine in the process.
 */
export async function compareGuests(options: GuestsOptions): Promise<GuestsResult> {
  const { models, logProgress } = options;
  const guests = await startGuests(options);
  const [first, ...others] = guests;
  let [compared, different] = [0, 0];
  const memory: number[] = [];
  const compare = async ({ engine, modelDir, alone }: Guest): Promise<void> => {
    const texts = await transcribeAll(engine, modelDir);
    compared += texts.length;
    different += texts.filter((text, i) => text !== alone[i]).length;
  };
  for (let start = 0; start <= RESTARTS; start++) {
    // The other engines transcribe while the first engine is closed and restarted.
    const restarted = start > 0 && first !== undefined ? restart(options, first) : undefined;
    if (restarted !== undefined) await Promise.all([restarted, ...others.map(compare)]);
    await Promise.all(guests.map(compare));
    const used = usedDeviceMiB();
    if (used !== undefined) memory.push(used);
    logProgress(`  ${models.length} engines, start ${start + 1}: ${different} of ${compared} transcripts differ`);
  }
  for (const { engine } of guests) await engine.close();
  return { compared, different, memory };
}

async function startGuests(options: GuestsOptions): Promise<Guest[]> {
  const { models } = options;
  const expected: string[][] = [];
  for (const modelDir of models) {
    const engine = await startOne(options, modelDir, 0, 1);
    expected.push(await transcribeAll(engine, modelDir));
    await engine.close();
  }
  const guests: Guest[] = [];
  for (const [index, modelDir] of models.entries()) {
    const engine = await startOne(options, modelDir, index, models.length);
    guests.push({ modelDir, alone: expected[index] ?? [], engine });
  }
  return guests;
}

async function restart(options: GuestsOptions, guest: Guest): Promise<void> {
  await guest.engine.close();
  guest.engine = await startOne(options, guest.modelDir, 0, options.models.length);
}

function startOne({ provider, engine }: GuestsOptions, modelDir: string, index: number, engines: number) {
  const share = shareMachine(index, engines);
  return startEngine({ modelDir, provider, measureMs: MEASURE_MS, share, ...engine });
}

/** Transcribes all recordings of a model at its first context. */
function transcribeAll(engine: Engine, modelDir: string): Promise<string[]> {
  const context: Context = engine.info.contexts[0]?.context ?? [0, 0];
  return Promise.all(readRecordings(modelDir).map(({ samples }) => transcribe(engine, context, samples)));
}
