import { audioMs } from '@svc-asr/core';
import type { ServerMessage } from '@svc-asr/core';
import type { StreamAnswer } from '../recognition/recognition-events.ts';
import type { Utterance } from '../recognition/utterance.ts';
import type { Utterances } from '../recognition/utterances.ts';
import { deltaEvent, finalEvent } from './events.ts';

type Answer<T extends StreamAnswer['type']> = Extract<StreamAnswer, { type: T }>;

export interface AnswerOptions {
  /** True if the client has turned on endpointing, so that it gets events about speech. */
  readonly endpointing: boolean;
  /** Called with each utterance for which a `final` is sent. */
  readonly onFinal: (utterance: Utterance) => void;
}

/** Applies an answer of the worker to the utterances of a stream. Returns the events for the client. */
export function applyAnswer(utterances: Utterances, answer: StreamAnswer, options: AnswerOptions): ServerMessage[] {
  const { head } = utterances;
  switch (answer.type) {
    case 'consumed':
      head.consume(answer.samples);
      return [];
    case 'delta':
      return head.deliver(answer.audio_end) ? deltaEvents(head, answer, options.endpointing) : [];
    case 'final': {
      const answered = answer.endpoint === true ? utterances.cut(answer.audio_end) : utterances.takeAnswered();
      options.onFinal(answered);
      return finalEvents(answered, answer, options.endpointing);
    }
    case 'reset_done':
      return [{ type: 'reset_ack', utterance: utterances.takeAnswered().number + 1 }];
  }
}

function deltaEvents(utterance: Utterance, answer: Answer<'delta'>, endpointing: boolean): ServerMessage[] {
  const delta = deltaEvent(utterance, answer);
  if (!endpointing || !utterance.startSpeech()) return [delta];
  const startMs = audioMs(utterance.startSample + (answer.speech_start ?? 0));
  return [{ type: 'speech_started', utterance: utterance.number, audio_start_ms: startMs }, delta];
}

function finalEvents(utterance: Utterance, answer: Answer<'final'>, endpointing: boolean): ServerMessage[] {
  const { number } = utterance;
  const final = finalEvent(utterance, answer);
  const [first, last] = [final.words[0], final.words.at(-1)];
  if (!endpointing || (first === undefined && !utterance.hasSpeech)) return [final];
  const startMs = first?.start_ms ?? final.audio_start_ms;
  const isStart = utterance.startSpeech();
  return [
    ...(isStart ? [{ type: 'speech_started', utterance: number, audio_start_ms: startMs } as const] : []),
    { type: 'speech_ended', utterance: number, audio_end_ms: last?.end_ms ?? final.audio_end_ms },
    final,
  ];
}
