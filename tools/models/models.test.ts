import { checkResource } from '@svc-asr/core';
import { join } from 'node:path';
import { parse } from 'yaml';
import { callOutside } from '../../worker/src/testing/outside.ts';
import type { PipelineResult } from '../../worker/src/testing/pipeline.ts';
import { goldenFolder, readWav } from '../../worker/src/testing/data.ts';
import { createGpuFolder } from '../../worker/src/testing/folder.ts';
import { root } from '../launch/terminal.mjs';
import { parseModelsArguments } from './arguments.ts';
import type { ImportArguments } from './arguments.ts';
import { checkWithEngine } from './engine-check.ts';
import type { ImportFacts } from './facts.ts';
import { buildReport, formatReport } from './report.ts';
import { buildResource } from './resource.ts';

const REQUIRED = ['import', 'a.nemo', '--id', 'my-model', '--language', 'ki'];

function parsed(...more: string[]): ImportArguments {
  const given = parseModelsArguments([...REQUIRED, ...more]);
  if (given === undefined) throw new Error('the arguments ask for help');
  return given;
}

describe('parseModelsArguments', () => {
  test('derives the output folder from the model id, and the display name from the language code', () => {
    expect(parsed()).toMatchObject({ source: 'a.nemo', out: 'my-model', language: 'Kikuyu', languageCode: 'ki' });
    expect(parsed('--language', 'SW-ke', '--name', 'Swahili')).toMatchObject({
      language: 'Swahili',
      languageCode: 'sw-KE',
    });
  });

  test('returns the options for the model import unchanged', () => {
    expect(parsed('--head', 'ctc', '--prompt', '3').options).toEqual(['--head', 'ctc', '--prompt', '3']);
  });

  test('returns undefined if there are no arguments, and for --help', () => {
    expect(parseModelsArguments([])).toBeUndefined();
    expect(parseModelsArguments(['--help'])).toBeUndefined();
  });

  test.each([
    [['convert', 'a.nemo'], 'there is no command "convert"'],
    [['import'], 'import needs exactly one SOURCE'],
    [['import', 'a', 'b'], 'import needs exactly one SOURCE'],
    [['import', 'a', '--language', 'ki'], '--id must have'],
    [['import', 'a', '--id', 'My.Model', '--language', 'ki'], '--id must have'],
    [['import', 'a', '--id', 'm'.repeat(64), '--language', 'ki'], '--id must have'],
    [['import', 'a', '--id', 'm'], '--language must be'],
    [['import', 'a', '--id', 'm', '--language', 'not a tag'], '--language must be'],
    [[...REQUIRED, '--head', 'both'], '--head must be ctc or transducer'],
    [[...REQUIRED, '--prompt', '-1x'], '--prompt'],
    [[...REQUIRED, '--url', 'http://models.example/a.tar.gz'], '--url must start with https://'],
  ])('refuses %j', (args, message) => {
    expect(() => parseModelsArguments(args)).toThrow(message);
  });

  test('accepts an id of 63 characters', () => {
    expect(parsed('--id', 'm'.repeat(63)).id).toHaveLength(63);
  });
});

describe('the ASRModel of an import', () => {
  test('names the folder relative to the repository if the folder is inside the repository', () => {
    expect(parse(buildResource(parsed(), join(root, 'a/my-model'), undefined))).toMatchObject({
      spec: { artifact: { path: 'a/my-model' } },
    });
    expect(parse(buildResource(parsed(), '/elsewhere/my-model', undefined))).toMatchObject({
      spec: { artifact: { path: '/elsewhere/my-model' } },
    });
  });

  test.each([
    [undefined, undefined],
    ['https://models.example/my-model.tar.gz', 'a'.repeat(64)],
  ])('is valid with the download URL %s', (url, sha256) => {
    const text = buildResource(parsed(...(url === undefined ? [] : ['--url', url])), '/models/my-model', sha256);
    expect(checkResource(parse(text))).toMatchObject({ ok: true });
  });
});

describe('checkWithEngine', () => {
  const wav = join(goldenFolder, 'speech.wav');
  const pipeline = new URL('../../worker/src/testing/pipeline.ts', import.meta.url);
  const folder = createGpuFolder('ctc');
  const samples = readWav(wav);
  const facts = async (change: (ids: number[]) => number[]): Promise<ImportFacts> => {
    const { ids } = await callOutside<PipelineResult>(pipeline, 'throughPipeline', folder, wav);
    return {
      type: 'ctc',
      contexts: [[56, 13]],
      layers: 2,
      width: 64,
      mels: 80,
      pieces: 128,
      gpuPrecision: 'f16',
      notes: ['A note.'],
      parity: [{ context: [56, 13], pieces: [change(ids)], largestDifference: 0.00001, gpuPieceErrors: 1 }],
      samples: [samples.length, samples.length],
      texts: ['one two three'],
    };
  };
  const audio = { checked: [samples], utterances: [{ samples, text: 'one two three' }] };

  test('reports equal transcripts, streams per core and word errors', async () => {
    const found = await facts((ids) => ids);
    const check = await checkWithEngine(folder, found, audio, 0);
    expect(check).toMatchObject({ transcripts: 1, wordErrors: { utterances: 1, words: 3 } });
    expect(check.streamsPerCore).toBeGreaterThan(0);
    expect(check.wordErrors?.errors).toBeGreaterThanOrEqual(3);
    const report = buildReport(parsed(), 'a.nemo', found, check);
    expect(report.contexts).toMatchObject([{ context: [56, 13], gpuPieceErrors: 1 }]);
    expect(formatReport(report)).toContain('of 3 words in 1 utterances');
    expect(formatReport(report)).toContain('- A note.');
  });

  test('throws if a transcript of the engine differs from the transcript of the imported model', async () => {
    const found = await facts((ids) => ids.slice(1));
    await expect(checkWithEngine(folder, found, audio, 0)).rejects.toThrow('differs from that of the model');
  });
});
