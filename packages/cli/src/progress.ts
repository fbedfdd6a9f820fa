import { formatDuration } from './duration.ts';
import type { LiveText } from './live-text.ts';

const BAR_CHARACTERS = 24;
/** The bar appears only after this time, because short work needs none. */
const SHOW_AFTER_MS = 2000;

/** Shows the progress of a transcription on a terminal. */
export interface Progress {
  /** Call when the audio up to a position has been recognized. */
  update: (doneMs: number) => void;
}

/** Creates a progress bar. Without a total it shows only the position and the speed. */
export function createProgress(live: LiveText, totalMs: number | undefined, now: () => number): Progress {
  const startedMs = now();
  return {
    update: (doneMs) => {
      const elapsedMs = now() - startedMs;
      if (elapsedMs < SHOW_AFTER_MS) return;
      const speed = doneMs / elapsedMs;
      live.show(describe(doneMs, totalMs, speed));
    },
  };
}

function describe(doneMs: number, totalMs: number | undefined, speed: number): string {
  const rate = `${speed.toFixed(1)}x`;
  if (totalMs === undefined) return `${whole(doneMs)} transcribed, ${rate}`;
  const share = Math.min(1, doneMs / totalMs);
  const filled = Math.round(share * BAR_CHARACTERS);
  const bar = `[${'#'.repeat(filled)}${'-'.repeat(BAR_CHARACTERS - filled)}]`;
  const left = speed > 0 ? `, ${whole((totalMs - doneMs) / speed)} left` : '';
  return `${bar} ${Math.floor(share * 100)}% of ${whole(totalMs)}, ${rate}${left}`;
}

function whole(ms: number): string {
  return formatDuration(Math.max(0, Math.floor(ms / 1000) * 1000));
}
