import Type from 'typebox';
import type { Static, TSchema } from 'typebox';
import { ContextSize } from './stream/context.ts';
import { PHRASE_LIMITS } from './stream/limits.ts';
import { checker, describeProblems } from './validate.ts';
import type { Checked } from './validate.ts';

/**
 * Messages between gateways and workers. They travel in the frames of relay-frames.ts. Unknown fields are ignored, so
 * that gateway and worker may have different versions. An incompatible change needs a new RELAY_CONNECTION_PATH.
 */

/**
 * Returns the DNS name in the certificate of a model's workers. Gateways check this name and not the address of a
 * worker, which is in no certificate. The name of a model is a DNS label, so it can be part of a DNS name.
 */
export function workerServerName(model: string, domain: string): string {
  return `${model}.${domain}`;
}

/** Maximum number of threads in which a worker serves streams. Each thread has its own port. */
export const MAX_IO_THREADS = 4;

export const RELAY_LIMITS = {
  /** Maximum size of a frame, without its header. */
  maxFrameBytes: 131_072,
  /** Maximum size of a JSON message of a gateway. */
  maxMessageBytes: 16_384,
  /** Maximum number of flushes and resets of one stream that the worker has not answered yet. */
  maxMarks: 32,
  /** Maximum number of streams on a connection. */
  maxStreams: 16_384,
  /** Maximum number of bytes of audio that a gateway sends for one stream before it sends audio of the next stream. */
  maxTurnBytes: 16_384,
} as const;

/** Codes with which a worker closes a stream. */
export const RELAY_CLOSE = {
  done: 1000,
  /**
   * The worker or its engine failed, or the gateway violated the protocol. The worker sends an `error` message with the
   * cause before it closes the stream.
   */
  failed: 1011,
  /** The ticket is wrong, expired, issued for another worker, or already used. */
  badTicket: 4401,
  /** Every slot is in use, or the worker is draining. */
  noSlot: 4429,
} as const;

/** Codes of the `error` message. */
export const RELAY_ERRORS = {
  bad_ticket: 'The ticket is wrong, expired, issued for another worker, or already used.',
  draining: 'The worker accepts no new streams.',
  no_slot: 'Every slot of the worker is in use.',
  invalid_message: 'A message is not part of the protocol, or not allowed in this state.',
  invalid_audio: 'A binary frame does not contain whole samples.',
  context_unsupported: 'The model does not support this context.',
  buffer_overrun: 'More audio, flushes or resets arrived than the worker can buffer.',
  inference_failed: 'The model failed on this stream.',
  engine_failed: 'The inference thread has ended.',
  closed: 'The engine is closed.',
} as const;

export type RelayErrorCode = keyof typeof RELAY_ERRORS;

const samples = (description: string) => Type.Integer({ minimum: 0, description });
const plain = <const T extends string>(type: T, description: string) =>
  Type.Object({ type: Type.Literal(type) }, { description });

const RelayEndpointing = Type.Object(
  {
    silence_ms: Type.Integer({ minimum: 1, description: 'Silence after a word that ends the utterance.' }),
    not_before: Type.Optional(
      samples('Samples of the first utterance before which it is not cut. The client has received text up to there.'),
    ),
  },
  { description: 'Ends utterances at pauses. Workers of earlier versions ignore it.' },
);

const RelayPhrase = Type.Object({
  text: Type.String({ description: 'One or more words.' }),
  boost: Type.Number({ exclusiveMinimum: 0, description: 'Strength of the preference.' }),
});

const Transcript = { text: Type.String() };
const Ms = Type.Integer({ minimum: 0 });
const RelayWord = Type.Object({
  ...Transcript,
  start_ms: Ms,
  end_ms: Ms,
  confidence: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'Confidence of the word. Older workers do not send it.' }),
  ),
});

/** JSON messages that a gateway sends, by `type`. */
export const RELAY_REQUESTS = {
  open: Type.Object(
    {
      type: Type.Literal('open'),
      context: ContextSize('Attention context.'),
      ticket: Type.Optional(
        Type.String({ maxLength: 2048, description: 'One-time ticket. A stream without a valid one is refused.' }),
      ),
      realtime_from: Type.Optional(
        samples(
          'Number of samples at the start of this stream that are a replay and do not count as ahead of real time.',
        ),
      ),
      endpointing: Type.Optional(RelayEndpointing),
      phrases: Type.Optional(
        Type.Array(RelayPhrase, {
          maxItems: PHRASE_LIMITS.maxPhrases,
          description: 'Phrases that the search prefers. Workers of earlier versions ignore them.',
        }),
      ),
      traceparent: Type.Optional(
        Type.String({
          maxLength: 128,
          description: 'Trace of the stream, in W3C Trace Context format.',
        }),
      ),
    },
    { description: 'Always the first message, and sent once.' },
  ),
  flush: plain('flush', 'Ends the utterance. Answered by exactly one `final`.'),
  reset: plain(
    'reset',
    'Drops the utterance. Answered by `reset_done`, after which nothing about the utterance follows.',
  ),
} as const;

/** JSON messages that a worker sends, by `type`. */
export const RELAY_ANSWERS = {
  opened: Type.Object(
    {
      type: Type.Literal('opened'),
      chunk_samples: Type.Integer({ minimum: 1 }),
      early_samples: Type.Optional(
        samples('A chunk can be processed this many samples before its end. Older workers do not send it.'),
      ),
      context: ContextSize('Effective context.'),
      buffer_samples: Type.Integer({
        minimum: 1,
        description: 'Samples that the gateway may send beyond those that the worker has consumed.',
      }),
      endpointing: Type.Optional(
        Type.Boolean({ description: 'Whether the worker ends utterances at pauses. Absent if it was not requested.' }),
      ),
      phrases: Type.Optional(
        Type.Boolean({
          description: 'Whether the worker prefers the phrases. False if the model does not support phrases.',
        }),
      ),
    },
    { description: 'The stream has a slot.' },
  ),
  delta: Type.Object(
    {
      type: Type.Literal('delta'),
      ...Transcript,
      audio_end: samples('Samples since the start of the utterance.'),
      speech_start: Type.Optional(samples('Start of the first word. Only for streams with endpointing.')),
    },
    { description: 'The whole transcript of the utterance so far.' },
  ),
  final: Type.Object(
    {
      type: Type.Literal('final'),
      ...Transcript,
      audio_end: samples('Samples of the utterance.'),
      words: Type.Array(RelayWord, { description: "Times are relative to the utterance's start." }),
      endpoint: Type.Optional(
        Type.Boolean({
          description:
            'True if a pause has ended the utterance. The audio after `audio_end`, and a flush or reset that was already sent, belong to the next one.',
        }),
      ),
    },
    {
      description:
        'The transcript of the utterance that a flush or a pause ended. Later messages belong to the next utterance.',
    },
  ),
  reset_done: plain('reset_done', 'The utterance was dropped. Later messages belong to the next utterance.'),
  consumed: Type.Object(
    { type: Type.Literal('consumed'), samples: samples('Total samples of the current utterance.') },
    { description: 'Audio that the engine has processed.' },
  ),
  move: Type.Object(
    {
      type: Type.Literal('move'),
      within_ms: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: 'Time until the worker closes the stream. Without it, the worker does not close it yet.',
        }),
      ),
      reason: Type.Optional(
        Type.String({
          description: 'Reason of the move: `too_many_streams`. If absent, the worker drains.',
        }),
      ),
    },
    {
      description:
        'The worker drains or has more streams than slots. It serves the stream until the gateway has replayed it to another worker and closes it here.',
    },
  ),
  error: Type.Object(
    { type: Type.Literal('error'), code: Type.String(), message: Type.String() },
    { description: 'Sent before any close code but 1000.' },
  ),
} as const;

/** Value of `reason` in a `move` message if the worker has more streams than slots. */
export const TOO_MANY_STREAMS = 'too_many_streams';

type Requests = typeof RELAY_REQUESTS;
type Answers = typeof RELAY_ANSWERS;
export type RelayRequest = { [T in keyof Requests]: Static<Requests[T]> }[keyof Requests];
export type RelayAnswer = { [T in keyof Answers]: Static<Answers[T]> }[keyof Answers];

export type ParsedRelay<M> =
  | { readonly ok: true; readonly message: M }
  | { readonly ok: false; readonly reason: string };

/** Parses a JSON message of a gateway. */
export const parseRelayRequest = parser<RelayRequest>(RELAY_REQUESTS);

/** Parses a JSON message of a worker. */
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
    // The reason of a refusal never quotes the text, which may be a transcript.
    const check = checks.get((value as { type?: unknown } | null)?.type);
    if (check === undefined) return { ok: false, reason: 'not a type of this protocol' };
    const checked = check(value);
    return checked.ok
      ? { ok: true, message: checked.value as M }
      : { ok: false, reason: describeProblems(checked.problems) };
  };
}
