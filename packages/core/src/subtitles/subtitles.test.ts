import fc from 'fast-check';
import { wrapText } from './wrap.ts';
import { buildCues, formatSrt, formatVtt } from './subtitles.ts';

const word = (text: string, start: number, end: number) => ({ text, start_ms: start, end_ms: end });

test('buildCues starts a new cue after a gap of 1 s, and when a cue would exceed 7 s or two lines', () => {
  const cues = buildCues([word('a', 0, 500), word('b', 600, 900), word('c', 2000, 2500), word('d', 2500, 9100)]);
  expect(cues.map(({ text }) => text)).toEqual(['a b', 'c', 'd']);
  const long = Array.from({ length: 12 }, (_, at) => word('abcdefghij', at * 100, at * 100 + 90));
  expect(buildCues(long).map(({ text }) => text.split(' ').length)).toEqual([6, 6]);
});

test('formatSrt and formatVtt write times in their formats, and only formatVtt escapes markup', () => {
  const cues = [{ start_ms: 3_723_004, end_ms: 3_724_050, text: 'a <b> & c' }];
  expect(formatSrt(cues)).toBe('1\n01:02:03,004 --> 01:02:04,050\na <b> & c\n');
  expect(formatVtt(cues)).toBe('WEBVTT\n\n01:02:03.004 --> 01:02:04.050\na &lt;b&gt; &amp; c\n');
  expect([formatSrt([]), formatVtt([])]).toEqual(['', 'WEBVTT\n\n']);
});

test('buildCues keeps two words in one cue if the gap between them is below 1 s', () => {
  const texts = (gapMs: number) => buildCues([word('a', 0, 100), word('b', 100 + gapMs, 2000)]).map(({ text }) => text);
  expect(texts(999)).toEqual(['a b']);
  expect(texts(1000)).toEqual(['a', 'b']);
});

test('buildCues and formatSrt count visible characters, of which a line has at most 42', () => {
  const cues = buildCues(Array.from({ length: 17 }, (_, at) => word('mu\u0303no', at * 100, at * 100 + 90)));
  expect(cues.map(({ text }) => text.split(' ').length)).toEqual([16, 1]);
  const [, , first = ''] = formatSrt(cues).split('\n');
  expect(first.split(' ')).toHaveLength(8);
});

test('buildCues puts a word that is longer than two lines into a cue of its own', () => {
  expect(buildCues([word('x'.repeat(100), 0, 1), word('y', 1, 2)])).toHaveLength(2);
});

test('if no gap precedes a word, buildCues adds it to the current cue exactly if the cue still fits into two lines', () => {
  const text = fc.stringMatching(/^(?:[a-zĩ]|u\u0303){1,30}$/u);
  fc.assert(
    fc.property(fc.array(text, { maxLength: 40 }), (texts) => {
      const cues = buildCues(texts.map((one, at) => word(one, at, at + 1)));
      expect(cues.map((cue) => cue.text).join(' ')).toBe(texts.join(' '));
      for (const [at, cue] of cues.entries()) {
        const [first = '', ...more] = cue.text.split(' ');
        const [next] = cues[at + 1]?.text.split(' ') ?? [];
        if (more.length > 0) expect(wrapText([first, ...more].join(' '), 42).length).toBeLessThanOrEqual(2);
        if (next !== undefined) expect(wrapText(`${cue.text} ${next}`, 42).length).toBeGreaterThan(2);
      }
    }),
  );
});
