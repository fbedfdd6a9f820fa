/** Microphones of browsers. */
import { capture } from './microphone/capture.ts';
import type { Microphone } from './microphone/capture.ts';

export type { AudioSink, Microphone } from './microphone/capture.ts';
export { MicrophoneError } from './microphone/error.ts';
export type { MicrophoneFailure } from './microphone/error.ts';

export interface MicrophoneOptions {
  /** Constraints of the audio track for `getUserMedia`, such as `deviceId`. Default `{ channelCount: 1 }`. */
  constraints?: object;
  /** Address of `microphone-worklet.js`. Default: next to this module. */
  workletUrl?: string | URL;
  /**
   * Maximum length of the buffered audio in seconds. Audio is buffered until a stream or another reader reads it. The
   * capture ends at this limit. Default 300.
   */
  maxBufferedSeconds?: number;
}

/**
 * Opens a microphone. The promise resolves when the capture has started. From then on, audio is buffered until a stream
 * reads it, up to `maxBufferedSeconds`. The user can therefore talk before a stream is open.
 */
export function openMicrophone(options: MicrophoneOptions = {}): Promise<Microphone> {
  const { constraints = { channelCount: 1 }, maxBufferedSeconds = 300 } = options;
  const { workletUrl = new URL('./microphone-worklet.js', import.meta.url) } = options;
  return capture({ workletUrl: String(workletUrl), constraints, maxBufferedSeconds });
}
