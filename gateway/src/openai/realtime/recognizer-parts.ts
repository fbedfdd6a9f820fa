import type { ServerMessage } from '@svc-asr/core';
import type { AudioShare } from '../../stream/audio-memory/audio-budget.ts';
import type { StreamClient } from '../../stream/client/client.ts';
import type { Configuration } from '../../stream/configuration.ts';
import type { OpenedStream } from '../../stream/opened-stream.ts';
import type { EndedBy } from './ends.ts';
import type { SessionTimes } from './session-timers.ts';

export interface RecognizerEvents {
  /**
   * Called with a message of a stream. `offsetMs` is the position at which the audio of the stream starts. `endedBy` is
   * the side that ends the utterance of the message.
   */
  onMessage: (message: ServerMessage, offsetMs: number, endedBy: EndedBy) => void;
  /** Called when reading from the client must be paused or can be resumed. */
  onPace: (isReading: boolean) => void;
  /**
   * Called when the recognizer cannot continue. If no stream could be opened, the argument is the error. Otherwise it
   * is the reason of the ended stream, or another reason such as `missing_model`.
   */
  onFailed: (reason: string | Error) => void;
}

export interface RecognizerParts extends SessionTimes {
  /** Takes a share of the audio memory. Returns undefined if there is no memory. */
  takeMemory: () => AudioShare | undefined;
  /** Returns the configuration that the client has selected. */
  configuration: () => Configuration;
  /**
   * Called when a worker has opened the stream. Reloads the contexts on which the configuration depends. Never rejects.
   */
  refreshConfiguration: () => Promise<void>;
  /** Reserves a session and opens its stream. */
  open: (client: StreamClient) => Promise<OpenedStream>;
}
