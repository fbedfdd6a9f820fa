import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../launch/terminal.mjs';
import { selectCases } from './arguments.ts';
import { CASES } from './cases.ts';
import { compareTranscripts, differentPer1000 } from './compare.ts';
import { readLockedVersion } from './environment.ts';
import { decodePhone, encodePhone, phoneSeconds } from './mulaw.ts';
import { countSeconds, record } from './recorder.ts';
import type { RecordedConnection } from './recorder.ts';
import { buildTable, findFault } from './table.ts';

const names = (args: readonly string[]) => selectCases(args, CASES)?.map(({ name }) => name);

describe('selectCases', () => {
  test('returns all cases if there are no options, and undefined for --help', () => {
    expect(names([])).toEqual(CASES.map(({ name }) => name));
    expect(names(['--help'])).toBeUndefined();
  });

  test('returns the cases whose name contains a value of --only', () => {
    expect(names(['--only', 'node-file', '--only', 'python-file'])).toEqual(['openai-python-file', 'openai-node-file']);
  });

  test('throws an error that lists all cases if no name contains the value of --only', () => {
    expect(() => names(['--only', 'whisper'])).toThrow('no case is named "whisper". The cases are openai-python-file');
  });

  test('returns only short cases for --short', () => {
    expect(selectCases(['--short'], CASES)?.every(({ isShort }) => isShort)).toBe(true);
  });
});

test.each(CASES.map(({ name, client, program }) => [name, join('test/compat', client.folder, program)]))(
  'the program of the case %s exists',
  (_name, path) => {
    expect(existsSync(join(root, path))).toBe(true);
  },
);

describe('compareTranscripts', () => {
  test('counts replaced, missing and added words, and ignores punctuation and letter case', () => {
    const native = ['nĩ wega mũno', 'ũhoro waku'];
    expect(compareTranscripts(native, ['Nĩ wega, mũno.', 'ũhoro waku'])).toEqual({ files: 2, words: 5, different: 0 });
    expect(compareTranscripts(native, ['nĩ wega', 'ũhoro wake mwega']).different).toBe(3);
  });

  test('compares the words of all files in order, however they are divided into lines', () => {
    expect(compareTranscripts(['a b', 'c'], ['a', 'b c']).different).toBe(0);
    expect(compareTranscripts(['a b', 'c'], ['c', 'a b']).different).toBe(2);
  });

  test('reports everything as different if the native protocol recognized no word', () => {
    expect(differentPer1000(compareTranscripts([''], ['']))).toBe(1000);
  });
});

describe('the result of a compat case', () => {
  const result = (different: number, chargedSeconds = 9) => ({
    client: 'openai 1.0.0 (Node)',
    route: 'file, WAV',
    comparison: { files: 1, words: 1000, different },
    expectedSeconds: 9,
    chargedSeconds,
  });

  test('passes with 3 different words in 1,000 and fails with 4', () => {
    expect(findFault(result(3))).toBeUndefined();
    expect(findFault(result(4))).toBe('4.0 words in 1,000 differ from the native protocol, and at most 3 may');
  });

  test('fails if the charged seconds differ from the seconds of the sessions', () => {
    expect(findFault(result(0, 10))).toBe('10 seconds were charged, and the sessions have 9');
  });

  test('fails if the client failed', () => {
    expect(findFault({ ...result(0), failure: 'no route' })).toBe('no route');
  });

  test('is shown as a row of the Markdown table', () => {
    const [, , row] = buildTable([result(4)]).split('\n');
    expect(row).toBe('| openai 1.0.0 (Node) | file, WAV | 1 | 1000 | 4 | 4.0 | 9 / 9 | FAILED |');
  });
});

test('readLockedVersion returns the version of a package in a lock file of Python', () => {
  const lock = 'openai-other==1.0.0 \\\n    --hash=sha256:00\nopenai==3.49.0 ; python_version > "3"\n';
  expect(readLockedVersion(lock, 'openai')).toBe('3.49.0');
  expect(() => readLockedVersion(lock, 'pipecat-ai')).toThrow('the lock file does not contain pipecat-ai');
});

test('encodePhone encodes PCM as mu-law at 8 kHz, which decodePhone restores with the precision of G.711', () => {
  const samples = Int16Array.from({ length: 16_000 }, (_, at) => 12_000 * Math.sin((2 * Math.PI * 440 * at) / 16_000));
  const mulaw = encodePhone(Buffer.from(samples.buffer));
  expect(phoneSeconds(mulaw)).toBe(1);
  const restored = decodePhone(mulaw);
  const errors = samples.map((sample, at) => Math.abs(sample - restored.readInt16LE(at * 2)));
  // The first and last samples are ignored, because the resampling filter needs samples on both sides.
  expect(Math.max(...errors.slice(100, -100))).toBeLessThan(12_000 / 16);
});

describe('record() of a realtime connection', () => {
  const connection = (): RecordedConnection => ({ rate: 24_000, silenceMs: 500, audio: [], commits: [] });
  const update = (input: object) => ({ type: 'session.update', session: { audio: { input } } });

  test('keeps the audio, its rate and the position of commits', () => {
    const recorded = connection();
    record(recorded, update({ format: { rate: 16_000 } }));
    const audio = Buffer.alloc(3200).toString('base64');
    for (const type of ['append', 'commit', 'append']) record(recorded, { type: `input_audio_buffer.${type}`, audio });
    expect([recorded.commits, countSeconds(recorded)]).toEqual([[3200], 0.2]);
  });

  test('keeps the turn detection of the latest session.update that contains one', () => {
    const recorded = connection();
    record(recorded, update({ turn_detection: { silence_duration_ms: 350 } }));
    record(recorded, update({ format: { rate: 16_000 } }));
    expect(recorded.silenceMs).toBe(350);
    record(recorded, update({ turn_detection: null }));
    expect(recorded.silenceMs).toBeUndefined();
  });
});
