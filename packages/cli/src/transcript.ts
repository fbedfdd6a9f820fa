import type { StreamEvent } from '@svc-asr/client';
import type { LiveText, Screen } from './live-text.ts';
import { createLiveText, NO_LIVE_TEXT } from './live-text.ts';
import type { Output } from './output.ts';

/** Prints the events of a stream as JSON lines, or as a transcript. */
export interface Transcript {
  show: (event: StreamEvent) => void;
  /** Removes temporary text from the terminal. */
  end: () => void;
  /** Number of final transcripts so far. */
  finals: () => number;
}

export interface TranscriptOptions {
  json: boolean;
  output: Output;
  stdout: Screen & { isTTY?: boolean };
  env: NodeJS.ProcessEnv;
}

/**
 * Creates the output of a transcript. Finals go to standard output. Text that may change appears only on a terminal.
 */
export function createTranscript({ json, output, stdout, env }: TranscriptOptions): Transcript {
  const isLive = !json && stdout.isTTY === true && env.TERM !== 'dumb';
  const live: LiveText = isLive ? createLiveText(stdout) : NO_LIVE_TEXT;
  let finals = 0;

  function showFinal(text: string): void {
    finals++;
    if (json) return;
    live.clear();
    output.line(text);
    if (text === '') output.note('No speech was recognized.');
  }

  return {
    show: (event) => {
      if (json) stdout.write(`${JSON.stringify(event)}\n`);
      if (event.type === 'final') showFinal(event.text);
      else if (event.type === 'delta') live.show(event.text);
      else if (event.type === 'status') live.show(event.message);
      else if (event.type === 'ready') live.clear();
    },
    end: live.clear,
    finals: () => finals,
  };
}
