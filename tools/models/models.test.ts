import { checkResource } from '@svc-asr/core';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { callOutside } from '../../worker/src/testing/outside.ts';
import type { PipelineResult } from '../../worker/src/testing/pipeline.ts';
import { goldenFolder, readWav } from '../../worker/src/testing/data.ts';
import { createGpuFolder } from '../../worker/src/testing/folder.ts';
import { root } from '../launch/terminal.mjs';
import { parseModelsArguments } from './arguments.ts';
import type { ImportArguments } from './arguments.ts';
import { checkEightBits, checkWithEngine, compareSpeed } from './engine-check.ts';
import type { ImportFacts } from './facts.ts';
import { importModel } from './import.ts';
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

  test('passes --bits 8 to the model import if there is a manifest', () => {
    const given = parsed('--bits', '8', '--manifest', 'a.json');
    expect(given).toMatchObject({ bits: 8, manifest: 'a.json', options: ['--bits', '8'] });
  });

  test('returns undefined if there are no arguments, and for --help', () => {
    expect(parseModelsArguments([])).toBeUndefined();
    expect(parseModelsArguments(['--help'])).toBeUndefined();
  });

  test.each([
    [['convert', 'a.nemo'], 'there is no command "convert"'],
    [['import'], 'import needs exactly one SOURCE'],
    [['import', 'a', 'b'], 'import needs exactly one SOURCE'],
    [['import', 'a', '--language', 'ki'], '--id is missing'],
    [['import', 'a', '--id', 'My.Model', '--language', 'ki'], '--id is "My.Model". Use 1 to 63'],
    [['import', 'a', '--id', 'm'.repeat(64), '--language', 'ki'], '--id is "mmm'],
    [['import', 'a', '--id', 'm'], '--language is missing'],
    [['import', 'a', '--id', 'm', '--language', 'not a tag'], '--language is "not a tag". Use a BCP 47 tag'],
    [[...REQUIRED, '--head', 'both'], '--head is "both". Use ctc or transducer'],
    [[...REQUIRED, '--prompt', '-1x'], '--prompt'],
    [[...REQUIRED, '--bits', '16', '--manifest', 'a.json'], '--bits is "16". Use 8 or 32'],
    [[...REQUIRED, '--bits', '8'], '--bits 8 needs --manifest'],
    [
      [...REQUIRED, '--url', 'http://models.example/a.tar.gz'],
      '--url is "http://models.example/a.tar.gz". Use the https:// address of a file',
    ],
    [
      [...REQUIRED, '--url', 'https://models.example'],
      '--url is "https://models.example". Use the https:// address of a file',
    ],
    [[...REQUIRED, '--context', '70'], '--context is "70". Use LEFT,RIGHT'],
    [[...REQUIRED, '--out', ''], '--out is empty'],
    [['import', '', ...REQUIRED.slice(2)], 'SOURCE is empty'],
    [[...REQUIRED, '--folder', 'a'], "Unknown option '--folder'. Use --help"],
    [[...REQUIRED, '--bits', '-8'], "Option '--bits' argument is ambiguous. Use --help"],
  ])('refuses %j', (args, message) => {
    expect(() => parseModelsArguments(args)).toThrow(message);
  });

  test('accepts an id of 63 characters', () => {
    expect(parsed('--id', 'm'.repeat(63)).id).toHaveLength(63);
  });
});

describe('importModel', () => {
  const folder = temporaryFolder('import');
  const source = join(folder, 'a.nemo');
  writeFileSync(source, '');
  writeFileSync(join(folder, 'packed.tar.gz'), '');

  test.each([
    [{ source: '/no/a.nemo' }, '/no/a.nemo does not exist'],
    [{ manifest: '/no/a.json' }, '/no/a.json does not exist'],
    [{ out: folder }, `${folder} exists already. Choose another folder with --out`],
    [
      { out: join(folder, 'packed'), url: 'https://models.example/a.tar.gz' },
      `${folder}/packed.tar.gz exists already. Choose another folder with --out`,
    ],
    [{ out: join(source, 'model') }, `no folder can be created in ${source}`],
  ])('refuses %j before it installs the training tools', async (change, message) => {
    await expect(importModel({ ...parsed(), source, out: join(folder, 'model'), ...change })).rejects.toThrow(message);
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
    expect(formatReport(report)).not.toContain('8 bits');
  });

  test('compareSpeed returns the streams per core of each folder', async () => {
    const speeds = await compareSpeed(folder, folder, 0);
    expect(speeds.map((streams) => streams > 0)).toEqual([true, true]);
  });

  test('reports the transcripts of a graph in 8 bits that differ from those of the imported model', async () => {
    const found = await facts((ids) => ids.slice(1));
    const eightBits = await checkEightBits(folder, found, audio);
    expect(eightBits).toMatchObject({ equalTranscripts: 0, wordErrors: { words: 3 } });
    const errors = { context: [56, 13], utterances: 1, words: 3, errors: 1 } as const;
    const in32Bits = { transcripts: 1, gpuTranscripts: 1, streamsPerCore: 7, wordErrors: errors };
    const in8Bits = { equalTranscripts: 0, streamsPerCore: 11, wordErrors: { ...errors, errors: 2 } };
    const report = buildReport(parsed(), 'a.nemo', found, in32Bits, in8Bits);
    expect(report).toMatchObject({ equalTranscripts: 1, streamsPerCore: 7, wordErrors: { percent: 33.33 } });
    expect(report.eightBits).toMatchObject({ streamsPerCore: 11, wordErrors: { percent: 66.67 } });
    expect(formatReport(report)).toContain(
      [
        'The graph in this folder has 8 bits:',
        '  - 0 of 1 transcripts are equal to those of the model.',
        '  - One core serves 11 streams.',
        '  - 66.67 % word errors at [56, 13]: 2 of 3 words in 1 utterances.',
      ].join('\n'),
    );
  });

  test('throws if a transcript of the engine differs from the transcript of the imported model', async () => {
    const found = await facts((ids) => ids.slice(1));
    await expect(checkWithEngine(folder, found, audio, 0)).rejects.toThrow('differs from that of the model');
  });
});
