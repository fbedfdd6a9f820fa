import type { StreamEvent } from '@svc-asr/client';
import type { LiveText, Screen } from './live-text.ts';
import { createLiveText, NO_LIVE_TEXT } from './live-text.ts';
import type { Output } from './output.ts';
import type { Progress } from './progress.ts';

/** Shows the events of a stream. */
export interface Transcript {
  show: (event: StreamEvent) => void;
  /** Removes temporary text from the terminal. */
  end: () => void;
  /** Whether `show` shows why the stream waits for a worker. */
  showsWaits: boolean;
}

export interface TranscriptOptions {
  json: boolean;
  output: Output;
  stdout: Screen & { isTTY?: boolean };
  env: NodeJS.ProcessEnv;
}

/**
 * Creates the output of a transcript. Finals go to standard output. Text that may change appears only on a terminal.
 * With `json`, every event is a line on standard output.
 */
export function createTranscript({ json, output, stdout, env }: TranscriptOptions): Transcript {
  const live = json ? NO_LIVE_TEXT : liveTextOn(stdout, env);
  return {
    show: (event) => {
      if (json) {
        stdout.write(`${JSON.stringify(event)}\n`);
      } else if (event.type === 'final') {
        live.clear();
        if (event.text !== '') output.line(event.text);
      } else if (event.type === 'delta') live.show(event.text);
      else if (event.type === 'status') live.show(event.message);
      else if (event.type === 'ready') live.clear();
    },
    end: live.clear,
    showsWaits: json || live !== NO_LIVE_TEXT,
  };
}

/** Creates an output that shows only the progress, and no text of the transcript. */
export function createProgressTranscript(live: LiveText, progress: Progress): Transcript {
  return {
    show: (event) => {
      if (event.type === 'delta' || event.type === 'final') progress.update(event.audio_end_ms);
      else if (event.type === 'status') live.show(event.message);
      else if (event.type === 'ready') live.clear();
    },
    end: live.clear,
    showsWaits: live !== NO_LIVE_TEXT,
  };
}

/** Returns a live text, which shows nothing if the output is not a terminal. */
export function liveTextOn(screen: Screen & { isTTY?: boolean }, env: NodeJS.ProcessEnv): LiveText {
  return screen.isTTY === true && env.TERM !== 'dumb' ? createLiveText(screen) : NO_LIVE_TEXT;
}
