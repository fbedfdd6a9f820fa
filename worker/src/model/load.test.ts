import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEngine } from '../engine/start.ts';
import { goldenFolder } from '../testing/data.ts';
import { createGoldenFolder, refTo } from '../testing/folder.ts';
import type { GoldenKind } from '../testing/folder.ts';

type Manifest = Record<string, unknown>;

/**
 * Replaces a file of the folder, and its checksum in the manifest. So the checksum is right, and only the content of
 * the file is invalid.
 */
const replace = (key: string, file: string, content: Buffer | string) => (manifest: Manifest, folder: string) => {
  writeFileSync(join(folder, file), content);
  if (key === 'encoder') manifest.contexts = [{ context: [56, 13], encoder: refTo(folder, file) }];
  else manifest[key] = refTo(folder, file);
};

const golden = (file: string) => readFileSync(join(goldenFolder, file));

/** Returns a copy of the graph in which one metadata value is replaced by a value of the same length. */
const edited = (file: string, from: string, to: string) =>
  Buffer.from(golden(file).toString('latin1').replace(from, to), 'latin1');

const cases: [string, GoldenKind, (manifest: Manifest, folder: string) => void, string, RegExp][] = [
  ['a missing file', 'ctc', (_, folder) => rmSync(join(folder, 'tokens.txt')), 'file_missing', /tokens\.txt/],
  [
    'a file whose checksum differs from the manifest',
    'ctc',
    (_, folder) => copyFileSync(join(goldenFolder, 'joiner.onnx'), join(folder, 'model_ctc.onnx')),
    'checksum_mismatch',
    /model_ctc\.onnx: sha256/,
  ],
  [
    'a file that is not ONNX',
    'ctc',
    replace('encoder', 'model_ctc.onnx', 'hello, world'),
    'graph_unreadable',
    /model_ctc\.onnx/,
  ],
  [
    'a graph that is not an encoder',
    'ctc',
    replace('encoder', 'model_ctc.onnx', golden('joiner.onnx')),
    'graph_unsupported',
    /no input "audio_signal" \(it has: encoder_outputs/,
  ],
  [
    'a transducer encoder as a CTC model',
    'ctc',
    replace('encoder', 'model_ctc.onnx', golden('encoder.onnx')),
    'graph_unsupported',
    /no output "logprobs"/,
  ],
  [
    'a context that the graph does not support',
    'ctc',
    (m, folder) => (m.contexts = [{ context: [56, 3], encoder: refTo(folder, 'model_ctc.onnx') }]),
    'graph_mismatch',
    /the window is 121 by its metadata but 41/,
  ],
  [
    'metadata that contradict the graph',
    'ctc',
    replace('encoder', 'model_ctc.onnx', edited('model_ctc.onnx', 'feat_dim\x12\x0280', 'feat_dim\x12\x0264')),
    'graph_mismatch',
    /number of mels is 80 by its graph but 64/,
  ],
  [
    'tokens of another model',
    'ctc',
    replace('tokens', 'tokens.txt', 'a 0\n<blk> 1\n'),
    'graph_mismatch',
    /number of pieces is 2/,
  ],
  ['tokens out of order', 'ctc', replace('tokens', 'tokens.txt', 'a 1\n<blk> 0\n'), 'tokens_invalid', /line 1/],
  [
    'a joint graph of another kind',
    'fused',
    replace('decoderJoint', 'decoder_joint.onnx', golden('decoder.onnx')),
    'graph_unsupported',
    /no input "encoder_outputs"/,
  ],
  [
    'metadata that contradict the predictor',
    'split',
    replace('encoder', 'encoder.onnx', edited('encoder.onnx', 'pred_hidden\x12\x03160', 'pred_hidden\x12\x03320')),
    'graph_mismatch',
    /predictor state is 160 by its graph but 320/,
  ],
];

test.each(cases)('startEngine refuses a model folder with %s', async (_, kind, spoil, code, message) => {
  const folder = createGoldenFolder(kind, spoil);
  await expect(startEngine({ modelDir: folder, slots: 1, maxBatch: 1 })).rejects.toMatchObject({
    name: 'ModelError',
    code,
    message: expect.stringMatching(message),
  });
});

test('startEngine refuses a folder without a manifest', async () => {
  await expect(startEngine({ modelDir: goldenFolder })).rejects.toMatchObject({ code: 'manifest_missing' });
});

test('startEngine refuses an unknown execution provider', async () => {
  const starting = startEngine({ modelDir: createGoldenFolder('ctc'), provider: 'nonsense' });
  await expect(starting).rejects.toMatchObject({ code: 'provider_unavailable' });
});

test.each(['fused', 'split'] as const)(
  'startEngine loads a %s transducer whose encoder has no metadata',
  async (kind) => {
    const bare = (manifest: Manifest, folder: string) => {
      // The custom metadata is at the end of these files. If it is cut off, the graph is still complete.
      const bytes = golden('encoder.onnx');
      replace(
        'encoder',
        'encoder.onnx',
        bytes.subarray(0, bytes.indexOf(Buffer.from('vocab_size')) - 4),
      )(manifest, folder);
    };
    const engine = await startEngine({ modelDir: createGoldenFolder(kind, bare), slots: 2, maxBatch: 2, measureMs: 0 });
    expect(engine.info.type).toBe('transducer');
    await engine.close();
  },
);
