import { Tensor } from 'onnxruntime-node';
import type { InferenceSession } from 'onnxruntime-node';
import type { Hypothesis, Joint } from '../decode/rnnt.ts';
import type { PredictorPorts } from './predictor.ts';

type States = readonly Float32Array[];

/** A graph that contains both predictor and joint (`decoder_joint`). */
export class FusedJoint implements Joint {
  readonly #session: InferenceSession;
  readonly #ports: PredictorPorts;

  constructor(session: InferenceSession, ports: PredictorPorts) {
    this.#session = session;
    this.#ports = ports;
  }

  initialStates(): States {
    return zeroStates(this.#ports);
  }

  async step(hypotheses: readonly Hypothesis[], frames: readonly Float32Array[]) {
    const group = Math.min(this.#ports.batch, hypotheses.length);
    const logits: Float32Array[] = [];
    const states: States[] = [];
    for (let at = 0; at < hypotheses.length; at += group) {
      const part = hypotheses.slice(at, at + group);
      const encoded = columns(frames.slice(at, at + group));
      const answer = await this.#session.run({ encoder_outputs: encoded, ...predictorFeeds(this.#ports, part) });
      logits.push(data(answer.outputs));
      states.push(...splitStates(this.#ports, answer, part.length));
    }
    return { logits: joined(logits), states };
  }
}

/** Runs predictor and joint as two graphs. The predictor runs only for streams with a new piece. */
export class SplitJoint implements Joint {
  readonly #decoder: InferenceSession;
  readonly #joiner: InferenceSession;
  readonly #ports: PredictorPorts;

  constructor(decoder: InferenceSession, joiner: InferenceSession, ports: PredictorPorts) {
    this.#decoder = decoder;
    this.#joiner = joiner;
    this.#ports = ports;
  }

  initialStates(): States {
    return zeroStates(this.#ports);
  }

  async step(hypotheses: readonly Hypothesis[], frames: readonly Float32Array[]) {
    const stale = hypotheses.filter(({ prediction }) => prediction === undefined);
    const group = Math.min(this.#ports.batch, stale.length);
    for (let at = 0; at < stale.length; at += group) await this.#predict(stale.slice(at, at + group));
    const predictions = hypotheses.flatMap(({ prediction }) => prediction ?? []);
    const answer = await this.#joiner.run({
      encoder_outputs: columns(frames),
      decoder_outputs: columns(predictions.map(({ output }) => output)),
    });
    return { logits: data(answer.outputs), states: predictions.map(({ states }) => states) };
  }

  async #predict(hypotheses: readonly Hypothesis[]): Promise<void> {
    const answer = await this.#decoder.run(predictorFeeds(this.#ports, hypotheses));
    const output = data(answer.outputs);
    const states = splitStates(this.#ports, answer, hypotheses.length);
    const size = output.length / hypotheses.length;
    hypotheses.forEach((hypothesis, i) => {
      hypothesis.prediction = { output: output.slice(i * size, (i + 1) * size), states: states[i] ?? [] };
    });
  }
}

function zeroStates({ statesIn, layers, hidden }: PredictorPorts): States {
  return statesIn.map(() => new Float32Array(layers * hidden));
}

function predictorFeeds(ports: PredictorPorts, hypotheses: readonly Hypothesis[]): Record<string, Tensor> {
  const { layers, hidden } = ports;
  const n = hypotheses.length;
  const feeds: Record<string, Tensor> = {
    [ports.targets]: new Tensor(
      'int32',
      Int32Array.from(hypotheses, ({ token }) => token),
      [n, 1],
    ),
    [ports.targetLength]: new Tensor('int32', new Int32Array(n).fill(1), [n]),
  };
  ports.statesIn.forEach((name, s) => {
    const all = new Float32Array(layers * n * hidden);
    hypotheses.forEach(({ states }, i) => {
      for (let layer = 0; layer < layers; layer++) {
        all.set(states[s]?.subarray(layer * hidden, (layer + 1) * hidden) ?? [], (layer * n + i) * hidden);
      }
    });
    feeds[name] = new Tensor('float32', all, [layers, n, hidden]);
  });
  return feeds;
}

/** Returns the states of each of the n streams, from state tensors with the shape [layers, n, hidden]. */
function splitStates(ports: PredictorPorts, answer: InferenceSession.OnnxValueMapType, n: number): States[] {
  const { layers, hidden } = ports;
  return Array.from({ length: n }, (_, i) =>
    ports.statesOut.map((name) => {
      const all = data(answer[name]);
      const own = new Float32Array(layers * hidden);
      for (let layer = 0; layer < layers; layer++) {
        const from = (layer * n + i) * hidden;
        own.set(all.subarray(from, from + hidden), layer * hidden);
      }
      return own;
    }),
  );
}

/** Returns the vectors as a tensor [n, size, 1]. */
function columns(vectors: readonly Float32Array[]): Tensor {
  return new Tensor('float32', joined(vectors), [vectors.length, vectors[0]?.length ?? 0, 1]);
}

function joined(vectors: readonly Float32Array[]): Float32Array {
  const [first, ...more] = vectors;
  if (first !== undefined && more.length === 0) return first;
  const all = new Float32Array(vectors.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const vector of vectors) {
    all.set(vector, at);
    at += vector.length;
  }
  return all;
}

function data(value: InferenceSession.OnnxValueMapType[string] | undefined): Float32Array {
  if (value?.data instanceof Float32Array) return value.data;
  throw new TypeError('the output of the graph is not a tensor of 32-bit floats');
}
