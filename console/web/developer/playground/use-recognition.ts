import { openMicrophone } from '@svc-asr/client/microphone';
import type { StreamConfig } from '@svc-asr/client/browser';
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import workletUrl from '@svc-asr/client/microphone-worklet.js?worker&url';
import { codeOf, messageOf } from '../../data/api.ts';
import { call } from '../api.ts';
import { decodeAudioFile, inRealTime } from './audio-file.ts';
import { MAX_FILE_BYTES } from './choices.ts';
import { recognize } from './recognition.ts';
import type { AudioInput, Reports } from './recognition.ts';
import { IDLE, reduce } from './state.ts';
import type { Change, PlaygroundState } from './state.ts';

/** Options of a recognition. */
export interface Start {
  readonly model: string;
  readonly config: StreamConfig;
  /** Audio file. Undefined for the microphone. */
  readonly file: File | undefined;
  readonly maxAudioSeconds: number;
}

export interface Recognition {
  readonly state: PlaygroundState;
  /** Level of the audio, from 0 (silence) to 1 (full scale). */
  readonly level: number;
  /** Whole seconds of audio that were captured. */
  readonly seconds: number;
  readonly start: (start: Start) => void;
  /**
   * Ends the audio. The service then sends the last text. A call before the audio is open, or a second call, cancels
   * the recognition.
   */
  readonly stop: () => void;
}

/** A recognition that runs. */
interface Run {
  /** Undefined until the microphone or the file is open. */
  input: AudioInput | undefined;
  /** Ends the recognition without its last text. */
  readonly cancel: AbortController;
}

/** Runs one recognition at a time. `onEnd` is called when a recognition has ended or failed. */
export function useRecognition(onEnd: () => void): Recognition {
  const [state, dispatch] = useReducer(reduce, IDLE);
  const [level, setLevel] = useState(0);
  const [seconds, setSeconds] = useState(0);
  const current = useRef<Run>(undefined);
  // If the user leaves the page, the audio ends, and therefore the session ends too.
  useEffect(() => () => end(current.current), []);

  async function recognizeFrom({ model, config, file, maxAudioSeconds }: Start, run: Run): Promise<void> {
    const startMs = performance.now();
    // A recognition that was cancelled must not change the state of the next one.
    const report = (change: Change) => {
      if (!run.cancel.signal.aborted) dispatch(change);
    };
    dispatch({ type: 'started' });
    setSeconds(0);
    try {
      // The microphone is opened before the session is created. A user may need longer to allow the microphone than the
      // credential of a session is valid. By default, a credential is valid for 60 seconds.
      const opened = file === undefined ? await openMicrophone({ workletUrl }) : await openFile(file);
      run.input = opened;
      // The user may have stopped the recognition or left the page while the browser asked for the microphone.
      if (run.cancel.signal.aborted) return;
      report({ type: 'phase', phase: 'creating' });
      const body = { model, max_audio_seconds: maxAudioSeconds };
      const session = await call('POST playground/sessions', { body });
      report({ type: 'created', sessionId: session.id });
      const reports: Reports = {
        onEvent: (direction, event) => report({ type: 'event', atMs: performance.now() - startMs, direction, event }),
        onLevel: setLevel,
        onSeconds: setSeconds,
        onLatency: (kind, latencyMs) => report({ type: 'latency', kind, latencyMs }),
      };
      report({ type: 'ended', end: await recognize(session, opened, config, reports, run.cancel.signal) });
    } catch (error) {
      report({ type: 'failed', code: failureCode(error), message: messageOf(error) });
    } finally {
      setLevel(0);
      await run.input?.stop();
      onEnd();
    }
  }

  return {
    state,
    level,
    seconds,
    start: (start) => {
      const run: Run = { input: undefined, cancel: new AbortController() };
      current.current = run;
      void recognizeFrom(start, run);
    },
    stop: () => {
      const { input, cancel } = current.current ?? {};
      if (input === undefined || state.phase === 'finishing') {
        dispatch({ type: 'cancelled' });
        cancel?.abort();
      } else dispatch({ type: 'phase', phase: 'finishing' });
      void input?.stop();
    },
  };
}

/** Ends the audio of a recognition. Cancels the recognition if its audio is not open yet. */
function end(run: Run | undefined): void {
  if (run?.input === undefined) run?.cancel.abort();
  else void run.input.stop();
}

/** Returns the error code of a failed request, or of a microphone or file that cannot be used. */
function failureCode(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : codeOf(error);
}

async function openFile(file: File): Promise<AudioInput> {
  if (file.size > MAX_FILE_BYTES) throw Object.assign(new Error('too large'), { code: 'large_file' });
  const pcm = await decodeAudioFile(file).catch(() => {
    throw Object.assign(new Error('unreadable'), { code: 'unreadable_file' });
  });
  const abort = new AbortController();
  const pieces = inRealTime(pcm, abort.signal);
  return {
    [Symbol.asyncIterator]: () => pieces,
    stop: () => {
      abort.abort();
      return Promise.resolve();
    },
  };
}
