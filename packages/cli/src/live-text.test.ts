import { createLiveText } from './live-text.ts';
import { createOutput } from './output.ts';
import { createProgress } from './progress.ts';
import { createProgressTranscript, createTranscript } from './transcript.ts';

const ESCAPE = String.fromCharCode(27);
const STEPS = new RegExp(`(${ESCAPE}\\[\\d*[AJ]|\\r|\\n)`);

/** Creates a terminal that records its visible lines. */
function createScreen(columns: number, rows: number) {
  const lines = [''];
  let row = 0;
  const write = (text: string) => {
    for (const part of text.split(STEPS)) {
      if (part === '\r') continue;
      if (part === '\n') lines[++row] ??= '';
      else if (part.endsWith('A') && part.startsWith('\u001b')) row -= Number(part.slice(2, -1));
      else if (part === '\u001b[J') lines.splice(row, Infinity, '');
      else lines[row] = `${lines[row] ?? ''}${part}`;
    }
    expect(row).toBeGreaterThanOrEqual(0);
    return true;
  };
  return { write, columns, rows, isTTY: true, lines };
}

test('createLiveText rewrites its own lines and leaves the lines above them unchanged', () => {
  const screen = createScreen(11, 24);
  screen.write('above\n');
  const live = createLiveText(screen);
  live.show('one');
  live.show('one two three four');
  expect(screen.lines).toEqual(['above', 'one two', 'three four']);
  live.show('short');
  expect(screen.lines).toEqual(['above', 'short']);
  live.clear();
  live.clear();
  screen.write('final\n');
  expect(screen.lines).toEqual(['above', 'final', '']);
});

test('createLiveText shows the end of a text that is higher than the screen', () => {
  const screen = createScreen(6, 3);
  const live = createLiveText(screen);
  live.show('one two three four five');
  expect(screen.lines).toEqual(['four', 'five']);
  live.show('one two three four five six');
  expect(screen.lines).toEqual(['five', 'six']);
});

const delta = (text: string) => ({ type: 'delta' as const, text, utterance: 1, audio_end_ms: 0 });
const final = (text: string) => ({
  type: 'final' as const,
  text,
  utterance: 1,
  audio_start_ms: 0,
  audio_end_ms: 0,
  words: [],
});

function shown(isTTY: boolean, env: NodeJS.ProcessEnv, json = false) {
  const screen = { ...createScreen(40, 10), isTTY };
  const notes: string[] = [];
  const output = createOutput(screen, { write: (text) => notes.push(text) }, env);
  const transcript = createTranscript({ json, output, stdout: screen, env });
  transcript.show({ type: 'status', state: 'waiting_for_capacity', message: 'Waiting.' });
  transcript.show(delta('wĩ'));
  transcript.show(delta('wĩ mwega'));
  const during = [...screen.lines];
  transcript.show(final('wĩ mwega\u001b[2J mũno'));
  transcript.show(final(''));
  transcript.end();
  return { during, after: screen.lines, notes };
}

test('createTranscript updates the text in place on a terminal until the text is final', () => {
  expect(shown(true, {})).toEqual({
    during: ['wĩ mwega'],
    after: ['wĩ mwega\ufffd[2J mũno', ''],
    notes: [],
  });
});

test('createTranscript prints only finals if the output is not a terminal, and every event with --json', () => {
  expect(shown(false, {}).during).toEqual(['']);
  expect(shown(true, { TERM: 'dumb' }).during).toEqual(['']);
  const { after, notes } = shown(true, {}, true);
  expect(after.filter((line) => line !== '').map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
    'status',
    'delta',
    'delta',
    'final',
    'final',
  ]);
  expect(notes).toEqual([]);
});

test('createProgressTranscript shows the finished share, the speed and the remaining time after two seconds', () => {
  const screen = createScreen(80, 10);
  const live = createLiveText(screen);
  let nowMs = 0;
  const progress = createProgress(live, 100_000, () => nowMs);
  const transcript = createProgressTranscript(live, progress);
  nowMs = 1000;
  transcript.show({ ...delta('x'), audio_end_ms: 10_000 });
  expect(screen.lines).toEqual(['']);
  nowMs = 5000;
  transcript.show({ ...delta('x'), audio_end_ms: 50_000 });
  expect(screen.lines).toEqual(['[############------------] 50% of 1m 40s, 10.0x, 5s left']);
  createProgress(live, undefined, () => nowMs - 5000).update(0);
  transcript.end();
  expect(screen.lines).toEqual(['']);
});
