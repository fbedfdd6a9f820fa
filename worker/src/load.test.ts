import { warnAboutModel } from './load.ts';

const SETTINGS = { MODEL: 'ki', MODEL_DIR: '/model', PROVIDER: 'cuda', SLOTS: 0 };
const INFO = { model: 'ki', slots: 900, gpuGraphs: true };

function warningsOf(settings: typeof SETTINGS, info: typeof INFO): string[] {
  const messages: string[] = [];
  warnAboutModel(settings, info, { warn: (_fields: unknown, message?: string) => void messages.push(message ?? '') });
  return messages;
}

describe('warnAboutModel', () => {
  test('logs nothing for a model that matches the settings', () => {
    expect(warningsOf(SETTINGS, INFO)).toEqual([]);
    expect(warningsOf({ ...SETTINGS, SLOTS: 900 }, INFO)).toEqual([]);
    expect(warningsOf({ ...SETTINGS, PROVIDER: 'cpu' }, { ...INFO, gpuGraphs: false })).toEqual([]);
  });

  test('warns if the id in the manifest differs from MODEL', () => {
    expect(warningsOf({ ...SETTINGS, MODEL: 'luo' }, INFO)).toEqual(['the id in the manifest differs from MODEL']);
  });

  test('warns if a model has no GPU graphs although the provider is a GPU', () => {
    expect(warningsOf(SETTINGS, { ...INFO, gpuGraphs: false })).toEqual([
      'the model has no GPU graphs, so the GPU serves fewer streams',
    ]);
  });

  test('warns if SLOTS does not fit into the memory of the GPU', () => {
    expect(warningsOf({ ...SETTINGS, SLOTS: 5000 }, INFO)).toEqual(['the GPU has memory for fewer streams than SLOTS']);
  });
});
