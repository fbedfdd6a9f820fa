import type { ProtocolEvent, RecognitionEnd } from './recognition.ts';

/** An event of the protocol, with its time since the start of the recognition. */
export interface LoggedEvent {
  readonly id: number;
  readonly atMs: number;
  readonly direction: 'sent' | 'received';
  readonly event: ProtocolEvent;
}

/**
 * Step of a recognition. `asking` lasts until the microphone or the file is open, and `creating` until the session
 * exists. `waiting` lasts until the service accepts audio, and `listening` until the audio ends. `finishing` then lasts
 * until the stream has ended.
 */
export type Phase = 'idle' | 'asking' | 'creating' | 'waiting' | 'listening' | 'finishing';

export interface PlaygroundState {
  readonly phase: Phase;
  /** Message of the service about what the session waits for. Empty while the session does not wait. */
  readonly status: string;
  /** Finished utterances in order. */
  readonly finals: readonly string[];
  /** Transcript of the current utterance. */
  readonly partial: string;
  readonly latencies: { readonly delta: readonly number[]; readonly final: readonly number[] };
  readonly events: readonly LoggedEvent[];
  readonly sessionId: string | undefined;
  readonly end: RecognitionEnd | undefined;
  readonly problem: { readonly code: string; readonly message: string } | undefined;
}

export type Change =
  | { readonly type: 'started' }
  | { readonly type: 'phase'; readonly phase: Phase }
  | { readonly type: 'created'; readonly sessionId: string }
  | {
      readonly type: 'event';
      readonly atMs: number;
      readonly direction: 'sent' | 'received';
      readonly event: ProtocolEvent;
    }
  | { readonly type: 'latency'; readonly kind: 'delta' | 'final'; readonly latencyMs: number }
  /** The user cancelled before the audio was open, or while the last text was pending. */
  | { readonly type: 'cancelled' }
  | { readonly type: 'ended'; readonly end: RecognitionEnd }
  | { readonly type: 'failed'; readonly code: string; readonly message: string };

/** Maximum number of events that the page keeps. Older ones are dropped. */
export const MAX_EVENTS = 500;

export const IDLE: PlaygroundState = {
  phase: 'idle',
  status: '',
  finals: [],
  partial: '',
  latencies: { delta: [], final: [] },
  events: [],
  sessionId: undefined,
  end: undefined,
  problem: undefined,
};

/** Applies a change. The start of a recognition removes the results of the previous one. */
export function reduce(state: PlaygroundState, change: Change): PlaygroundState {
  switch (change.type) {
    case 'started':
      return { ...IDLE, phase: 'asking' };
    case 'phase':
      return state.phase === 'idle' ? state : { ...state, phase: change.phase };
    case 'created':
      return { ...state, sessionId: change.sessionId, phase: state.phase === 'finishing' ? 'finishing' : 'waiting' };
    case 'event':
      return applyEvent({ ...state, events: log(state.events, change) }, change);
    case 'latency': {
      const { kind, latencyMs } = change;
      return { ...state, latencies: { ...state.latencies, [kind]: [...state.latencies[kind], latencyMs] } };
    }
    case 'cancelled':
      return { ...state, phase: 'idle', partial: '', finals: withPartial(state) };
    case 'ended':
      return { ...state, phase: 'idle', partial: '', finals: withPartial(state), end: change.end };
    case 'failed':
      return { ...state, phase: 'idle', problem: { code: change.code, message: change.message } };
  }
}

function applyEvent(state: PlaygroundState, { direction, event }: Extract<Change, { type: 'event' }>): PlaygroundState {
  if (direction === 'sent') return state;
  const text = 'text' in event && typeof event.text === 'string' ? event.text : '';
  if (event.type === 'delta') return { ...state, partial: text };
  if (event.type === 'final')
    return { ...state, partial: '', finals: text === '' ? state.finals : [...state.finals, text] };
  if (event.type === 'status' && 'message' in event) return { ...state, status: String(event.message) };
  if (event.type === 'ready' && state.phase === 'waiting') return { ...state, status: '', phase: 'listening' };
  return state;
}

/** Keeps the text of an utterance that the service did not finish, for example because the connection broke. */
function withPartial({ finals, partial }: PlaygroundState): readonly string[] {
  return partial === '' ? finals : [...finals, partial];
}

function log(
  events: readonly LoggedEvent[],
  { atMs, direction, event }: Extract<Change, { type: 'event' }>,
): LoggedEvent[] {
  const id = (events.at(-1)?.id ?? 0) + 1;
  return [...events, { id, atMs, direction, event }].slice(-MAX_EVENTS);
}
