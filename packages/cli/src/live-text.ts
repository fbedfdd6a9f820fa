import { printable } from './output.ts';
import { wrapText } from './wrap.ts';

/** A terminal that tells its size. */
export interface Screen {
  write: (text: string) => unknown;
  columns?: number;
  rows?: number;
}

/** Text at the end of a terminal that changes while it is read. */
export interface LiveText {
  /** Shows this text in the place of what was shown last. */
  show: (text: string) => void;
  /** Takes the text away; what is printed next stands in its place. */
  clear: () => void;
}

/** Rewrites its own lines and nothing above them; of a text that is higher than the screen it shows the end. */
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
      // One column stays free: terminals differ in where the cursor is after the last one.
      const width = Math.max(1, (screen.columns ?? 80) - 1);
      const lines = wrapText(printable(text), width).slice(-Math.max(1, (screen.rows ?? 24) - 1));
      clear();
      screen.write(lines.join('\n'));
      shownLines = lines.length;
    },
    clear,
  };
}

/** Nothing moves where nobody watches. */
export const NO_LIVE_TEXT: LiveText = { show: () => undefined, clear: () => undefined };
