import { buildAnswer, joinFinals } from './answers.ts';

const word = (text: string, start_ms: number, end_ms: number) => ({ text, start_ms, end_ms });
const WORDS = [word('wĩ', 0, 300), word('mwega', 400, 1000), word('nĩ <3', 3_661_005, 3_661_500)];
const TRANSCRIPT = { text: 'wĩ mwega nĩ', words: WORDS, seconds: 3662.25, language: 'ki' };

function bodyOf(format: Parameters<typeof buildAnswer>[1]['format'], hasWords = false): string {
  return buildAnswer(TRANSCRIPT, { model: 'm', format, hasWords, isStreamed: false }).body;
}

test('buildAnswer writes SRT with cue numbers and decimal commas, and VTT with a header, decimal points and escaped markup', () => {
  expect(bodyOf('srt')).toBe('1\n00:00:00,000 --> 00:00:01,000\nwĩ mwega\n\n2\n01:01:01,005 --> 01:01:01,500\nnĩ <3\n');
  expect(bodyOf('vtt')).toMatch(
    /^WEBVTT\n\n00:00:00\.000 --> 00:00:01\.000\nwĩ mwega\n\n01:01:01\.005 --> 01:01:01\.500\nnĩ &lt;3\n$/,
  );
});

test('in the format json, buildAnswer reports the rounded-up duration as usage, and in the format text, it adds a newline', () => {
  expect(JSON.parse(bodyOf('json'))).toEqual({ text: 'wĩ mwega nĩ', usage: { type: 'duration', seconds: 3663 } });
  expect(bodyOf('text')).toBe('wĩ mwega nĩ\n');
});

test('buildAnswer includes segments in verbose_json, or words if the request asks for words', () => {
  const verbose = JSON.parse(bodyOf('verbose_json')) as { segments: unknown[]; words?: unknown };
  expect(verbose).toMatchObject({ task: 'transcribe', language: 'ki', duration: 3662.25 });
  expect(verbose.segments).toMatchObject([{ id: 0, start: 0, end: 1, text: 'wĩ mwega' }, { id: 1 }]);
  expect(JSON.parse(bodyOf('verbose_json', true))).toMatchObject({
    words: [{ word: 'wĩ', start: 0, end: 0.3 }, {}, {}],
  });
});

test('buildAnswer reports the mean logarithm of the confidences of a segment, and 0 if they are unknown', () => {
  const words = [0.5, 0.25, 0, undefined].map((confidence, at) => ({
    ...word('a', at * 5000, at * 5000 + 100),
    ...(confidence !== undefined && { confidence }),
  }));
  const pair = [word('b', 20_000, 20_100), word('c', 20_100, 20_200)].map((one, at) => ({
    ...one,
    confidence: at === 0 ? 1 : 0.5,
  }));
  const parameters = { model: 'm', format: 'verbose_json', hasWords: false, isStreamed: false } as const;
  const { body } = buildAnswer({ ...TRANSCRIPT, words: [...words, ...pair] }, parameters);
  const { segments } = JSON.parse(body) as { segments: { avg_logprob: number }[] };
  const expected = [Math.log(0.5), Math.log(0.25), Math.log(0.0005), 0, Math.log(0.5) / 2];
  expect(segments.map(({ avg_logprob }) => avg_logprob)).toEqual(expected);
});

test('joinFinals joins the texts of finals and skips finals without text', () => {
  const final = (text: string) => ({
    type: 'final' as const,
    text,
    utterance: 1,
    audio_start_ms: 0,
    audio_end_ms: 1,
    words: [],
  });
  expect(joinFinals([final('a'), final(''), final('b')]).text).toBe('a b');
});
