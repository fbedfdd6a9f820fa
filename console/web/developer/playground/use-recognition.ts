import { openMicrophone } from '@svc-asr/client/microphone';
import type { StreamConfig } from '@svc-asr/client/browser';
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import workletUrl from '@svc-asr/client/microphone-worklet.js?worker&url';
import { codeOf, messageOf } from '../../data/api.ts';
import { call } from '../api.ts';
import { decodeAudioFile, inRealTime } from './audio-file.ts';
import { recognize } from './recognition.ts';
import type { AudioInput } from './recognition.ts';
import { IDLE, reduce } from './state.ts';
import type { PlaygroundState } from './state.ts';

/** What a recognition needs. */
export interface Start {
  readonly model: string;
  readonly config: StreamConfig;
  /** Audio file. Undefined for the microphone. */
  readonly file: File | undefined;
  readonly maxAudioSeconds: number;
}

export interface Recognition {
  readonly state: PlaygroundState;
  /** Level of the audio as a share of the meter. */
  readonly level: number;
  readonly start: (start: Start) => void;
  /** Ends the audio. The last text follows. */
  readonly stop: () => void;
}

/** Runs one recognition at a time. `onEnd` is called when the session was settled. */
export function useRecognition(onEnd: () => void): Recognition {
  const [state, dispatch] = useReducer(reduce, IDLE);
  const [level, setLevel] = useState(0);
  const input = useRef<AudioInput>(undefined);
  // Leaving the page ends the audio, and with it the session.
  useEffect(() => () => void input.current?.stop(), []);

  async function run({ model, config, file, maxAudioSeconds }: Start): Promise<void> {
    const startMs = performance.now();
    dispatch({ type: 'started' });
    // A credential is valid for 60 seconds, and a user may take longer to allow the microphone.
    const opened = file === undefined ? await openMicrophone({ workletUrl }) : await openFile(file);
    input.current = opened;
    try {
      dispatch({ type: 'phase', phase: 'creating' });
      const body = { model, max_audio_seconds: maxAudioSeconds };
      const session = await call('POST playground/sessions', { body });
      dispatch({ type: 'created', sessionId: session.id });
      const end = await recognize(session, opened, config, {
        onEvent: (direction, event) => dispatch({ type: 'event', atMs: performance.now() - startMs, direction, event }),
        onLevel: setLevel,
        onLatency: (kind, latencyMs) => dispatch({ type: 'latency', kind, latencyMs }),
      });
      dispatch({ type: 'ended', end });
    } finally {
      input.current = undefined;
      setLevel(0);
      await opened.stop();
      onEnd();
    }
  }

  return {
    state,
    level,
    start: (start) => {
      run(start).catch((error: unknown) => {
        dispatch({ type: 'failed', code: failureCode(error), message: messageOf(error) });
      });
    },
    stop: () => {
      dispatch({ type: 'phase', phase: 'finishing' });
      void input.current?.stop();
    },
  };
}

/** Returns the code of a failed request or of a microphone that cannot be used. */
function failureCode(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : codeOf(error);
}

async function openFile(file: File): Promise<AudioInput> {
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
