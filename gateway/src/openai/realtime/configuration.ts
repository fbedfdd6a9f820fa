import {
  checker,
  describeProblems,
  quoteValues,
  REALTIME_DELAYS,
  REALTIME_LIMITS,
  RealtimeUpdate,
  STREAM_LIMITS,
} from '@svc-asr/core';
import type { ContextSize, RealtimeDelay } from '@svc-asr/core';
import { InvalidEvent } from './invalid-event.ts';
import { DEFAULT_FORMAT } from './input-format.ts';
import type { InputFormat } from './input-format.ts';

/** Configuration that a client has selected. */
export interface RealtimeConfiguration {
  /** Undefined until the client has selected a model. */
  readonly model: string | undefined;
  readonly format: InputFormat;
  /** Silence after which a turn ends. Undefined if only commits of the client end turns. */
  readonly silenceMs: number | undefined;
  readonly delay: RealtimeDelay;
}

type Input = NonNullable<NonNullable<RealtimeUpdate['audio']>['input']>;

const checkUpdate = checker(RealtimeUpdate);

/** Returns the configuration of a new connection. */
export function buildConfiguration(model: string | undefined): RealtimeConfiguration {
  return { model, format: DEFAULT_FORMAT, silenceMs: REALTIME_LIMITS.defaultSilenceMs, delay: 'medium' };
}

/** Merges the `session` field of a `session.update` into a configuration. Throws if the field is not valid. */
export function mergeUpdate(before: RealtimeConfiguration, session: unknown): RealtimeConfiguration {
  const checked = checkUpdate(session);
  if (!checked.ok) {
    const [problem] = checked.problems;
    const param = problem === undefined || problem.field === '' ? 'session' : `session.${problem.field}`;
    throw new InvalidEvent('invalid_value', `${describeProblems(quoteValues(checked.problems, session))}.`, param);
  }
  const input = checked.value.audio?.input ?? {};
  const { model, delay } = input.transcription ?? {};
  return {
    model: model ?? before.model,
    format: formatOf(input.format) ?? before.format,
    silenceMs: silenceOf(input.turn_detection, before.silenceMs),
    delay: delay ?? before.delay,
  };
}

function formatOf(format: Input['format']): InputFormat | undefined {
  if (format === undefined || format === null) return undefined;
  const { type = 'audio/pcm', rate } = format;
  if (type !== 'audio/pcm') return { type };
  if (rate === 8000) {
    const message = 'PCM must have a rate of 24000 or 16000 Hz.';
    throw new InvalidEvent('invalid_value', message, 'session.audio.input.format.rate');
  }
  return { type, rate: rate === 16_000 ? 16_000 : 24_000 };
}

/**
 * Returns the silence of turn detection, clamped to the limits of endpointing. Returns undefined if the client turns
 * turn detection off with null.
 */
function silenceOf(detection: Input['turn_detection'], before: number | undefined): number | undefined {
  if (detection === undefined) return before;
  if (detection === null) return undefined;
  const silenceMs = detection.silence_duration_ms ?? before ?? REALTIME_LIMITS.defaultSilenceMs;
  return Math.round(Math.max(STREAM_LIMITS.minSilenceMs, Math.min(STREAM_LIMITS.maxSilenceMs, silenceMs)));
}

/** Returns the context for a delay. `minimal` selects the shortest chunks and `xhigh` the longest. */
export function contextFor(delay: RealtimeDelay, contexts: readonly ContextSize[]): ContextSize | undefined {
  const sorted = [...contexts].sort(([, one], [, other]) => one - other);
  const position = REALTIME_DELAYS.indexOf(delay) / (REALTIME_DELAYS.length - 1);
  return sorted[Math.round((sorted.length - 1) * position)];
}

/** Describes the effective configuration in the format of `session.created` and `session.updated`. */
export function describeSession(
  { id, expiresAt }: { id: string; expiresAt: number },
  { model, format, silenceMs, delay }: RealtimeConfiguration,
  language: string | undefined,
): object {
  return {
    id,
    object: 'realtime.transcription_session',
    type: 'transcription',
    expires_at: expiresAt,
    audio: {
      input: {
        format,
        transcription: model === undefined ? null : { model, language, delay },
        noise_reduction: null,
        turn_detection: silenceMs === undefined ? null : { type: 'server_vad', silence_duration_ms: silenceMs },
      },
    },
    include: null,
  };
}
