import { Transcript } from './pieces.ts';
import { decodeRnnt, GreedyRnnt } from './rnnt.ts';
import type { Hypothesis, Joint } from './rnnt.ts';

const BLANK = 2;

/**
 * Creates a joint network for frames that contain one number. This is the number of pieces from the start of the
 * utterance to the end of the frame. The state of the network counts the pieces so far.
 */
function countingJoint(): Joint & { sizes: number[] } {
  const sizes: number[] = [];
  return {
    sizes,
    initialStates: () => [Float32Array.of(0)],
    step(hypotheses: readonly Hypothesis[], frames: readonly Float32Array[]) {
      sizes.push(hypotheses.length);
      const logits = hypotheses.flatMap(({ states }, i) => {
        const wanted = frames[i]![0]!;
        return states[0]![0]! < wanted ? [9, 0, 0] : [0, 0, 9];
      });
      return Promise.resolve({
        logits: Float32Array.from(logits),
        states: hypotheses.map(({ states }) => [Float32Array.of(states[0]![0]! + 1)]),
      });
    },
  };
}

const search = (joint: Joint) => new GreedyRnnt(BLANK, joint, new Transcript(['a', 'b', '<blk>']));

test('decodeRnnt advances the predictor on a piece and moves to the next frame on a blank', async () => {
  const joint = countingJoint();
  const one = search(joint);
  await decodeRnnt(joint, BLANK, [{ search: one, frames: [1, 1, 3].map((n) => Float32Array.of(n)) }]);
  expect(one.transcript.ids).toEqual([0, 0, 0]);
  expect(one.hypothesis).toMatchObject({ token: 0, states: [Float32Array.of(3)] });
});

test('decodeRnnt takes the probability of a piece from the step that produced it', async () => {
  const joint = countingJoint();
  const one = search(joint);
  await decodeRnnt(joint, BLANK, [{ search: one, frames: [Float32Array.of(1)] }]);
  const [other, best] = [Math.exp(0), Math.exp(9)];
  expect(one.transcript.words(80, 1000)[0]?.confidence).toBeCloseTo(best / (best + 2 * other), 3);
});

test('decodeRnnt moves to the next frame after ten pieces without a blank', async () => {
  const joint = countingJoint();
  const one = search(joint);
  await decodeRnnt(joint, BLANK, [{ search: one, frames: [Float32Array.of(1000), Float32Array.of(0)] }]);
  expect(one.transcript.ids).toHaveLength(10);
});

test('decodeRnnt evaluates streams of different lengths together, and advances their frameBase by the frames of the chunk', async () => {
  const joint = countingJoint();
  const [short, long] = [search(joint), search(joint)];
  const frame = Float32Array.of(0);
  await decodeRnnt(joint, BLANK, [
    { search: short, frames: [frame] },
    { search: long, frames: [frame, frame, frame] },
  ]);
  expect(joint.sizes).toEqual([2, 1, 1]);
  expect([short.frameBase, long.frameBase]).toEqual([1, 3]);
});

test('if a stream has fewer pieces than its leastPieces, decodeRnnt runs additional steps for it, and ignores their results', async () => {
  const joint = countingJoint();
  const [one, other] = [search(joint), search(joint)];
  const frames = [1, 1].map((n) => Float32Array.of(n));
  await decodeRnnt(joint, BLANK, [
    { search: one, frames, leastPieces: 3 },
    { search: other, frames, leastPieces: 1 },
  ]);
  expect(joint.sizes).toEqual([2, 2, 2, 1, 1]);
  expect([one.transcript.ids, other.transcript.ids]).toEqual([[0], [0]]);
  expect([one.frameBase, one.hypothesis.states]).toEqual([2, other.hypothesis.states]);
});
