import { printable } from './output.ts';
import { wrapText } from '@svc-asr/core/subtitles';

/** A terminal. If its size is unknown, 80 columns and 24 rows are assumed. */
export interface Screen {
  write: (text: string) => unknown;
  columns?: number;
  rows?: number;
}

/** Text in the last lines of a terminal, which can be replaced. */
export interface LiveText {
  /** Replaces the text. */
  show: (text: string) => void;
  /** Removes the text. The next output takes its place. */
  clear: () => void;
}

/**
 * Creates a text that rewrites only its own lines. If the text has more lines than the screen, only its end is visible.
 */
export function createLiveText(screen: Screen): LiveText {
  let shownLines = 0;

  function clear(): void {
    if (shownLines === 0) return;
    const up = shownLines > 1 ? `\u001b[${shownLines - 1}A` : '';
    screen.write(`\r${up}\u001b[J`);
    shownLines = 0;
  }

  return {
    show: (text) => {
      // One column stays free, because terminals differ in the cursor position after the last column.
      const width = Math.max(1, (screen.columns ?? 80) - 1);
      const lines = wrapText(printable(text), width).slice(-Math.max(1, (screen.rows ?? 24) - 1));
      clear();
      screen.write(lines.join('\n'));
      shownLines = lines.length;
    },
    clear,
  };
}

/** Live text for an output that is not a terminal. */
export const NO_LIVE_TEXT: LiveText = { show: () => undefined, clear: () => undefined };
