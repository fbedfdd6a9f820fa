import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { refTo } from './folder.ts';
import { buildPromptGraph } from './gpu-graph.ts';
import { writeOnnx } from './onnx-writer.ts';
import type { OnnxGraph, OnnxNode, OnnxPort } from './onnx-writer.ts';

const PIECES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((letter) => `\u2581${letter}`);
const CLASSES = PIECES.length + 1;
/** Number of prompts of the GPU graph. */
export const PROMPTS = 8;

/**
 * Creates the folder of a CTC model whose transcript depends only on its prompt and not on the audio. The model has a
 * graph for CPUs and a GPU graph. For the two frames of each window, it recognizes the pieces with the numbers `prompt`
 * and `prompt + 1`.
 */
export function createPromptFolder(promptIndex: number | undefined): string {
  const folder = temporaryFolder('model');
  mkdirSync(join(folder, 'gpu'));
  writeFileSync(join(folder, 'tokens.txt'), [...PIECES, '<blk>'].map((piece, id) => `${piece} ${id}\n`).join(''));
  writeFileSync(join(folder, 'model.onnx'), writeOnnx(buildEncoder()));
  writeFileSync(join(folder, 'gpu/4-1.onnx'), writeOnnx(buildPromptGraph(PROMPTS)));
  const manifest = {
    format: 1,
    id: 'prompt',
    language: 'None',
    languageCode: 'xx',
    type: 'ctc',
    tokens: refTo(folder, 'tokens.txt'),
    contexts: [{ context: [4, 1], encoder: refTo(folder, 'model.onnx'), gpu: refTo(folder, 'gpu/4-1.onnx') }],
    promptIndex,
  };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  return folder;
}

const port = (type: OnnxPort['type'], name: string, ...shape: (number | string)[]): OnnxPort => ({ name, type, shape });

const node = (op: string, inputs: string[], output: string): OnnxNode => ({ op, inputs, outputs: [output] });

/**
 * Returns an encoder whose caches never change. It has a table in which row `p` contains the log-probabilities of a
 * window for prompt `p`.
 */
function buildEncoder(): OnnxGraph {
  const caches = (suffix: string) => [
    port('float32', `cache_last_channel${suffix}`, 'B', 1, 4, 4),
    port('float32', `cache_last_time${suffix}`, 'B', 1, 4, 2),
    port('int64', `cache_last_channel${suffix}_len`, 'B'),
  ];
  const best = Array.from({ length: PROMPTS }, (_, prompt) => [prompt, prompt + 1]);
  const table = best.flatMap((row) =>
    row.flatMap((one) => Array.from({ length: CLASSES }, (_, i) => -Math.abs(i - one))),
  );
  const integer = (name: string, value: number) => ({ name, type: 'int64', shape: [1], data: [value] }) as const;
  return {
    inputs: [
      port('float32', 'audio_signal', 'B', 80, 25),
      port('int64', 'length', 'B'),
      ...caches(''),
      port('int64', 'prompt_index', 'B'),
    ],
    outputs: [port('float32', 'logprobs', 'B', 2, CLASSES), port('int64', 'encoded_lengths', 'B'), ...caches('_next')],
    tensors: [
      { name: 'table', type: 'float32', shape: [PROMPTS, 2, CLASSES], data: table },
      integer('zero', 0),
      integer('one', 1),
      integer('two', 2),
    ],
    nodes: [
      node('Gather', ['table', 'prompt_index'], 'logprobs'),
      ...['length', 'half', 'quarter'].flatMap((from, i) => [
        node('Div', [from, 'two'], `${from}_halved`),
        node('Add', [`${from}_halved`, 'one'], ['half', 'quarter', 'eighth'][i] ?? ''),
      ]),
      node('Sub', ['eighth', 'two'], 'after_history'),
      node('Max', ['after_history', 'zero'], 'encoded_lengths'),
      ...['channel', 'time'].map((name) => node('Identity', [`cache_last_${name}`], `cache_last_${name}_next`)),
      node('Identity', ['cache_last_channel_len'], 'cache_last_channel_next_len'),
    ],
    metadata: { window_size: '25', chunk_shift: '16', subsampling_factor: '8', feat_dim: '80', vocab_size: '9' },
  };
}
