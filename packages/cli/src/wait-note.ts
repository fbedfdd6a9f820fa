import type { Output } from './output.ts';

/** A short wait needs no reason, so the reason is printed only after this time. */
const NOTE_AFTER_MS = 2000;

/** Prints on standard error why a stream waits. */
export interface WaitNote {
  /** Call with each reason. The last one is printed, and only once. */
  show: (reason: string) => void;
  /** Call when the wait ends. */
  end: () => void;
}

/** Creates the note for the wait of one stream. */
export function createWaitNote({ note }: Pick<Output, 'note'>, afterMs = NOTE_AFTER_MS): WaitNote {
  let [timer, last]: [NodeJS.Timeout | undefined, string] = [undefined, ''];
  return {
    show: (reason) => {
      last = reason;
      timer ??= setTimeout(() => note(last), afterMs);
    },
    end: () => clearTimeout(timer),
  };
}
