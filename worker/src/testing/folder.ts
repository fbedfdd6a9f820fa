import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { goldenFolder } from './data.ts';

/** Kinds of models in the golden data. */
export type GoldenKind = 'ctc' | 'fused' | 'split' | 'prompt';

const GRAPHS: Readonly<Record<GoldenKind, Readonly<Record<string, string>>>> = {
  ctc: { encoder: 'model_ctc.onnx' },
  fused: { encoder: 'encoder.onnx', decoderJoint: 'decoder_joint.onnx' },
  split: { encoder: 'encoder.onnx', decoder: 'decoder.onnx', joiner: 'joiner.onnx' },
  prompt: { encoder: 'prompt_ctc.onnx' },
};

/** Returns the entry of a file for a manifest, with the checksum of the file. */
export function refTo(folder: string, file: string): { file: string; sha256: string } {
  return {
    file,
    sha256: createHash('sha256')
      .update(readFileSync(join(folder, file)))
      .digest('hex'),
  };
}

/** GPU graphs of the golden models. They share one file of weights. */
const GPU_GRAPHS = {
  ctc: { encoder: 'gpu/56-13.onnx' },
  fused: { encoder: 'gpu/transducer-56-13.onnx', joint: 'gpu/joint.onnx' },
  prompt: { encoder: 'gpu/prompt-56-13.onnx' },
} as const;
const GPU_WEIGHTS = 'gpu/weights.bin';

/**
 * Creates a folder with a golden model and its GPU graphs. `change` can modify the manifest before the manifest is
 * written.
 */
export function createGpuFolder(
  kind: keyof typeof GPU_GRAPHS = 'ctc',
  change: (manifest: Record<string, unknown>, folder: string) => void = () => undefined,
): string {
  return createGoldenFolder(kind, (manifest, folder) => {
    const graphs = GPU_GRAPHS[kind];
    mkdirSync(join(folder, 'gpu'));
    for (const file of [...Object.values(graphs), GPU_WEIGHTS]) {
      copyFileSync(join(goldenFolder, file), join(folder, file));
    }
    const [context] = manifest.contexts as Record<string, unknown>[];
    Object.assign(context ?? {}, { gpu: refTo(folder, graphs.encoder) });
    if ('joint' in graphs) manifest.gpuJoint = refTo(folder, graphs.joint);
    manifest.weights = [refTo(folder, GPU_WEIGHTS)];
    change(manifest, folder);
  });
}

/**
 * Creates a model folder with golden graphs in a temporary folder. `change` can modify the manifest before the manifest
 * is written.
 */
export function createGoldenFolder(
  kind: GoldenKind,
  change: (manifest: Record<string, unknown>, folder: string) => void = () => undefined,
): string {
  const folder = temporaryFolder('model');
  const graphs = GRAPHS[kind];
  for (const file of [...Object.values(graphs), 'tokens.txt'])
    copyFileSync(join(goldenFolder, file), join(folder, basename(file)));
  const { encoder = '', ...joint } = graphs;
  const manifest: Record<string, unknown> = {
    format: 1,
    id: `golden-${kind}`,
    language: 'None',
    languageCode: 'xx',
    type: Object.keys(joint).length === 0 ? 'ctc' : 'transducer',
    tokens: refTo(folder, 'tokens.txt'),
    contexts: [{ context: [56, 13], encoder: refTo(folder, encoder) }],
    ...Object.fromEntries(Object.entries(joint).map(([name, file]) => [name, refTo(folder, file)])),
  };
  change(manifest, folder);
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  return folder;
}
