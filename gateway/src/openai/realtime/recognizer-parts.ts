import type { ServerMessage } from '@svc-asr/core';
import type { AudioShare } from '../../stream/audio-memory/audio-budget.ts';
import type { StreamClient } from '../../stream/client/client.ts';
import type { Configuration } from '../../stream/configuration.ts';
import type { OpenedStream } from '../../stream/opened-stream.ts';
import type { EndedBy } from './ends.ts';
import type { SessionTimes } from './session-timers.ts';

export interface RecognizerEvents {
  /** Called with a message of a stream whose audio starts at `offsetMs`, and who ends the utterance that it is about. */
  onMessage: (message: ServerMessage, offsetMs: number, endedBy: EndedBy) => void;
  /** Called when the client has to be slowed down, or not any more. */
  onPace: (isReading: boolean) => void;
  /** Called when the recognizer cannot continue. The reason is that of a stream, or why there is none. */
  onFailed: (reason: string | Error) => void;
}

export interface RecognizerParts extends SessionTimes {
  /** Takes a share of the audio memory, or returns undefined if there is none. */
  takeMemory: () => AudioShare | undefined;
  /** Returns the configuration that the client has selected. */
  configuration: () => Configuration;
  /** Reads what the configuration depends on. Called when a worker has opened the stream. Never fails. */
  refreshConfiguration: () => Promise<void>;
  /** Reserves a session and opens its stream. */
  open: (client: StreamClient) => Promise<OpenedStream>;
}
