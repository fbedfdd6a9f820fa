import type { ServerMessage } from '@svc-asr/core';
import type { StreamAnswer } from '../recognition/recognition-events.ts';
import { Utterances } from '../recognition/utterances.ts';
import { applyAnswer } from './answer-events.ts';

const SECOND = 16_000;
const words = [
  { text: 'wĩ', start_ms: 80, end_ms: 240, confidence: 0.875 },
  { text: 'mwega', start_ms: 320, end_ms: 640, confidence: 0 },
];
const delta: StreamAnswer = { type: 'delta', text: 'wĩ', audio_end: SECOND / 2, speech_start: 1280 };
const final: StreamAnswer = { type: 'final', text: 'wĩ mwega', audio_end: SECOND, words };

/**
 * Returns the events for the answers to an utterance of two seconds that starts one second after the start of the
 * stream.
 */
function eventsOf(answers: StreamAnswer[], endpointing = true): { events: ServerMessage[]; finals: number[] } {
  const utterances = new Utterances();
  utterances.append(Buffer.alloc(SECOND * 2));
  utterances.flush();
  utterances.append(Buffer.alloc(SECOND * 4));
  utterances.takeAnswered();
  const finals: number[] = [];
  const options = { endpointing, onFinal: ({ number }: { number: number }) => finals.push(number) };
  return { events: answers.flatMap((answer) => applyAnswer(utterances, answer, options)), finals };
}

const typesOf = (events: readonly ServerMessage[]) => events.map(({ type }) => type);

test('if an utterance ends at a pause, applyAnswer sends its events in order, with times relative to the start of the stream', () => {
  const { events, finals } = eventsOf([delta, { type: 'consumed', samples: 100 }, { ...final, endpoint: true }]);
  expect(events).toEqual([
    { type: 'speech_started', utterance: 2, audio_start_ms: 1080 },
    { type: 'delta', text: 'wĩ', utterance: 2, audio_end_ms: 1500 },
    { type: 'speech_ended', utterance: 2, audio_end_ms: 1640 },
    {
      type: 'final',
      text: 'wĩ mwega',
      utterance: 2,
      audio_start_ms: 1000,
      audio_end_ms: 2000,
      endpoint: true,
      words: [
        { text: 'wĩ', start_ms: 1080, end_ms: 1240, confidence: 0.875 },
        { text: 'mwega', start_ms: 1320, end_ms: 1640, confidence: 0 },
      ],
    },
  ]);
  expect(finals).toEqual([2]);
});

test('applyAnswer sends words without a confidence if an older worker reports none', () => {
  const old = words.map(({ confidence: _confidence, ...word }) => word);
  const { events } = eventsOf([{ ...final, words: old }], false);
  const [sent] = events.flatMap((event) => (event.type === 'final' ? event.words : []));
  expect(sent).toEqual({ text: 'wĩ', start_ms: 1080, end_ms: 1240 });
});

test('applyAnswer assigns the audio after a cut to a new utterance, which starts at the cut', () => {
  const empty: StreamAnswer = { type: 'final', text: '', audio_end: SECOND, words: [] };
  const { events } = eventsOf([{ ...final, endpoint: true }, empty]);
  expect(typesOf(events)).toEqual(['speech_started', 'speech_ended', 'final', 'final']);
  expect(events.at(-1)).toMatchObject({ utterance: 3, audio_start_ms: 2000, audio_end_ms: 3000 });
  expect(events.at(-1)).not.toHaveProperty('endpoint');
});

test('applyAnswer sends a reset_ack whose utterance number also counts utterances that ended at a cut', () => {
  const { events } = eventsOf([{ ...final, endpoint: true }, { type: 'reset_done' }]);
  expect(events.at(-1)).toEqual({ type: 'reset_ack', utterance: 4 });
});

test('applyAnswer sends no speech events if endpointing is off, or if there is no speech', () => {
  expect(typesOf(eventsOf([delta, final], false).events)).toEqual(['delta', 'final']);
  expect(typesOf(eventsOf([{ type: 'final', text: '', audio_end: SECOND, words: [] }]).events)).toEqual(['final']);
});

test('applyAnswer does not repeat speech_started for deltas that a replay repeats', () => {
  const { events } = eventsOf([delta, delta, { ...delta, audio_end: SECOND }, final]);
  expect(typesOf(events)).toEqual(['speech_started', 'delta', 'delta', 'speech_ended', 'final']);
});
