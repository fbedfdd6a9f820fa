import { DeviceRnnt } from '../../decode/device-rnnt.ts';
import { Transcript } from '../../decode/pieces.ts';
import type { JointBatch, JointInputs, JointResult } from '../../native/joint-batch.ts';
import type { JointShape } from '../../native/joint-contract.ts';
import type { BatchTiming } from '../../native/submission.ts';
import type { Work } from '../backend.ts';
import { RunMeter } from './run-meter.ts';
import { searchTransducer } from './transducer.ts';

const BLANK = 3;
const SHAPE = { steps: 2, blank: BLANK, maxSymbols: 10 } as JointShape;
/** Number of feature frames of a window in which two encoder frames contain audio. */
const LENGTH = 25;

interface Step {
  readonly token: number;
  readonly place: number;
  readonly score?: number;
}

/**
 * A joint graph with one row. A script defines the steps that each run returns. All runs after the end of the script
 * return the steps of its last run.
 */
class ScriptedJoint {
  readonly inputs = Object.fromEntries(
    ['frames', 'token', 'at', 'symbols', 'stateFrom', 'stateTo'].map((name) => [name, new Int32Array(1)]),
  ) as unknown as JointInputs;
  /** Inputs of all runs so far. */
  readonly runs: Record<string, number>[] = [];
  readonly #script: readonly (readonly Step[])[];

  constructor(script: readonly (readonly Step[])[]) {
    this.#script = script;
  }

  get #steps(): readonly Step[] {
    return this.#script[Math.min(this.runs.length, this.#script.length) - 1] ?? [];
  }

  submit(): void {
    this.runs.push(Object.fromEntries(Object.entries(this.inputs).map(([name, [value]]) => [name, value])));
  }

  collected(): Promise<JointResult> {
    return Promise.resolve({
      tokens: Int32Array.from(this.#steps, ({ token }) => token),
      places: Int32Array.from(this.#steps, ({ place }) => place),
      scores: Float32Array.from(this.#steps, ({ score = -1 }) => score),
    } as JointResult);
  }

  timing(): BatchTiming {
    return { copyInMs: 1, computeMs: 2, copyOutMs: 3 };
  }

  advance(): boolean {
    const place = this.#steps.at(-1)?.place ?? 0;
    this.inputs.at[0] = place;
    this.inputs.stateFrom.set(this.inputs.stateTo);
    return place < (this.inputs.frames[0] ?? 0);
  }
}

function createSearch() {
  const transcript = new Transcript(['a', 'b', 'c', '<blk>']);
  const lane = { slot: 4, window: 0, search: { transcript, state: new DeviceRnnt(BLANK, transcript) } };
  const meter = new RunMeter();
  const search = async (joint: ScriptedJoint, leastPieces?: number): Promise<boolean[]> => {
    const batch = [{ lane, length: LENGTH, leastPieces } as unknown as Work];
    return await searchTransducer(joint as unknown as JointBatch, SHAPE, { subsampling: 8 }, batch, meter);
  };
  return { transcript, lane, meter, search };
}

describe('searchTransducer', () => {
  test('adds the pieces of all runs that a chunk needs, with the frames that produced them', async () => {
    const { transcript, lane, search } = createSearch();
    const first = new ScriptedJoint([
      [step(0, 0), step(-1, 0)],
      [step(1, 1), step(2, 2)],
    ]);
    expect(await search(first)).toEqual([true]);
    expect(transcript.ids).toEqual([0, 1]);
    expect(first.runs).toMatchObject([
      { frames: 2, token: BLANK, at: 0, symbols: 0, stateFrom: 0, stateTo: 10 },
      { frames: 2, stateFrom: 10, stateTo: 10 },
    ]);
    lane.window = 1;
    const second = new ScriptedJoint([[step(2, 1), step(-1, 2)]]);
    expect(await search(second)).toEqual([true]);
    expect(second.runs).toMatchObject([{ token: 1, at: 0, symbols: 0, stateFrom: 10, stateTo: 11 }]);
    // The third piece is at frame 1 of the second chunk, which is frame 3 of the utterance. Each piece has the
    // log-probability -1.
    expect(transcript.words(80, 1000)).toEqual([{ text: 'abc', start_ms: 0, end_ms: 320, confidence: 0.05 }]);
  });

  test('counts the device time of all runs', async () => {
    const { meter, search } = createSearch();
    await search(new ScriptedJoint([[step(0, 0), step(-1, 0)], [step(2, 2)]]));
    expect(meter.figures).toMatchObject({ copyInMs: 2, computeMs: 4, copyOutMs: 6 });
  });

  test('ends the search of a row at the first score that is not a number', async () => {
    const { transcript, search } = createSearch();
    const joint = new ScriptedJoint([[step(0, 0), { token: 1, place: 0, score: NaN }]]);
    expect(await search(joint)).toEqual([false]);
    expect(joint.runs).toHaveLength(1);
    expect(transcript.ids).toEqual([0]);
  });

  test('ignores scores of steps after the last frame of a row', async () => {
    const { search } = createSearch();
    const joint = new ScriptedJoint([[step(-1, 1), { token: -1, place: 2, score: NaN }]]);
    expect(await search(joint)).toEqual([true]);
  });

  test.each([
    [1, 0],
    [2, 1],
    [3, 4],
  ])(
    'runs the joint graph %d times if the search is planned for %d pieces, even if it finds none',
    async (runs, pieces) => {
      const { transcript, search } = createSearch();
      const joint = new ScriptedJoint([[step(-1, 1), step(-1, 2)]]);
      expect(await search(joint, pieces)).toEqual([true]);
      expect(joint.runs).toHaveLength(runs);
      expect(transcript.ids).toEqual([]);
    },
  );

  test('rejects if the joint graph never reaches the last frame', async () => {
    const { search } = createSearch();
    const joint = new ScriptedJoint([[step(-1, 0), step(-1, 0)]]);
    await expect(search(joint)).rejects.toThrow('the search has not ended after 10 runs of the joint graph');
  });
});

function step(token: number, place: number): Step {
  return { token, place };
}
