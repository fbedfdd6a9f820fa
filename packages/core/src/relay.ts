import Type from 'typebox';
import type { Static, TSchema } from 'typebox';
import { ContextSize } from './stream/context.ts';
import { checker, describeProblems } from './validate.ts';
import type { Checked } from './validate.ts';

/**
 * What gateways and workers say to each other: one WebSocket for each stream, without compression, opened with
 * `Authorization: Bearer TICKET`. Text is JSON, binary is PCM16LE. Fields that are not listed are ignored, so that
 * one side may be newer than the other; what older ones could not understand gets another path.
 */
export const RELAY_PATH = '/v1/stream';

export const RELAY_LIMITS = {
  /** Largest binary frame; a replay may send two of the client's frames in one. */
  maxFrameBytes: 131_072,
  /** Largest text message of a gateway. */
  maxMessageBytes: 16_384,
} as const;

/** Close codes of a worker. */
export const RELAY_CLOSE = {
  done: 1000,
  /** The worker or its engine failed, or was spoken to wrongly; the `error` before it says how. */
  failed: 1011,
  /** The ticket is wrong, expired, for another worker, or was used. */
  badTicket: 4401,
  /** Every slot is taken, or the worker drains. */
  noSlot: 4429,
} as const;

/** Codes of the `error` message. */
export const RELAY_ERRORS = {
  bad_ticket: 'The ticket is wrong, expired, for another worker, or was used.',
  draining: 'The worker takes no new streams.',
  no_slot: 'Every slot of the worker is taken.',
  open_timeout: 'The first message did not come in time.',
  invalid_message: 'A message is not of this protocol, or not allowed now.',
  invalid_audio: 'A binary frame does not hold whole samples.',
  context_unsupported: 'The model has no such context.',
  buffer_overrun: 'More audio came than the worker reads.',
  inference_failed: 'The model failed on this stream.',
  engine_failed: 'The inference thread is gone.',
  closed: 'The engine is closed.',
} as const;

export type RelayErrorCode = keyof typeof RELAY_ERRORS;

const samples = (description: string) => Type.Integer({ minimum: 0, description });
const plain = <const T extends string>(type: T, description: string) =>
  Type.Object({ type: Type.Literal(type) }, { description });

const Transcript = { text: Type.String() };
const Ms = Type.Integer({ minimum: 0 });
const RelayWord = Type.Object({ ...Transcript, start_ms: Ms, end_ms: Ms });

/** Every text message of a gateway, by its `type`. */
export const RELAY_REQUESTS = {
  open: Type.Object(
    {
      type: Type.Literal('open'),
      context: ContextSize('The attention context.'),
      realtime_from: Type.Optional(
        samples('Samples at the start of this stream that are sent a second time: they do not count as ahead of time.'),
      ),
      traceparent: Type.Optional(
        Type.String({
          maxLength: 128,
          description: 'The trace that the stream belongs to, as W3C Trace Context has it.',
        }),
      ),
    },
    { description: 'The first message, and only that.' },
  ),
  flush: plain('flush', 'Ends the utterance; exactly one `final` follows.'),
  reset: plain('reset', 'Drops the utterance; `reset_done` follows, and nothing of the utterance after it.'),
} as const;

/** Every message of a worker, by its `type`. */
export const RELAY_ANSWERS = {
  opened: Type.Object(
    {
      type: Type.Literal('opened'),
      chunk_samples: Type.Integer({ minimum: 1 }),
      context: ContextSize('The context in force.'),
    },
    { description: 'The stream has a slot.' },
  ),
  delta: Type.Object(
    { type: Type.Literal('delta'), ...Transcript, audio_end: samples('Samples since the start of the utterance.') },
    { description: 'The whole transcript of the utterance so far.' },
  ),
  final: Type.Object(
    {
      type: Type.Literal('final'),
      ...Transcript,
      audio_end: samples('Samples of the utterance.'),
      words: Type.Array(RelayWord, { description: "Times are relative to the utterance's start." }),
    },
    { description: 'The transcript of the utterance that a flush ended; what follows belongs to the next one.' },
  ),
  reset_done: plain('reset_done', 'The utterance is dropped; what follows belongs to the next one.'),
  consumed: Type.Object(
    { type: Type.Literal('consumed'), samples: samples('Samples of the present utterance, in all.') },
    { description: 'How much audio the engine is done with.' },
  ),
  alive: plain(
    'alive',
    'At least every second while audio or a flush is outstanding, as long as inference makes progress.',
  ),
  move: plain('move', 'The worker drains: take the stream elsewhere by replay.'),
  error: Type.Object(
    { type: Type.Literal('error'), code: Type.String(), message: Type.String() },
    { description: 'Comes before a close that is not 1000.' },
  ),
} as const;

type Requests = typeof RELAY_REQUESTS;
type Answers = typeof RELAY_ANSWERS;
export type RelayRequest = { [T in keyof Requests]: Static<Requests[T]> }[keyof Requests];
export type RelayAnswer = { [T in keyof Answers]: Static<Answers[T]> }[keyof Answers];

export type ParsedRelay<M> =
  { readonly ok: true; readonly message: M } | { readonly ok: false; readonly reason: string };

/** Reads a text message of a gateway. */
export const parseRelayRequest = parser<RelayRequest>(RELAY_REQUESTS);

/** Reads a message of a worker. */
export const parseRelayAnswer = parser<RelayAnswer>(RELAY_ANSWERS);

function parser<M>(schemas: Readonly<Record<string, TSchema>>): (text: string) => ParsedRelay<M> {
  const checks = new Map<unknown, (value: unknown) => Checked<unknown>>();
  for (const [type, schema] of Object.entries(schemas)) checks.set(type, checker(schema));
  return (text) => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return { ok: false, reason: 'not JSON' };
    }
    // The text itself is never repeated: it may be a transcript.
    const check = checks.get((value as { type?: unknown } | null)?.type);
    if (check === undefined) return { ok: false, reason: 'not a type of this protocol' };
    const checked = check(value);
    return checked.ok
      ? { ok: true, message: checked.value as M }
      : { ok: false, reason: describeProblems(checked.problems) };
  };
}
