import { fitTable } from './table.ts';

/** Width of tables if the output is not a terminal. */
const DEFAULT_COLUMNS = 80;

export interface Terminal {
  write: (text: string) => unknown;
  isTTY?: boolean | undefined;
  columns?: number | undefined;
}

/** Prints results to standard output and notes to standard error. */
export interface Output {
  /** Prints the result as one JSON document. */
  json: (value: unknown) => void;
  line: (text: string) => void;
  /**
   * Prints a table that fits the terminal. In a narrow terminal, columns in `optional` are left out, in the order of
   * the list.
   */
  table: (
    head: readonly string[],
    rows: readonly (readonly string[])[],
    options?: { optional?: readonly string[] },
  ) => void;
  note: (text: string) => void;
  /** Prints a note for programs, as one line of JSON on standard error. */
  noteJson: (value: unknown) => void;
}

/** Creates the output. Table headings are bold on a terminal, everything else is plain text. */
export function createOutput(stdout: Terminal, stderr: Terminal, env: NodeJS.ProcessEnv): Output {
  const isBold = stdout.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  return {
    json: (value) => stdout.write(`${JSON.stringify(value, null, 2)}\n`),
    line: (text) => stdout.write(`${printable(text)}\n`),
    table: (head, rows, { optional = [] } = {}) => {
      const columns = (stdout.isTTY === true ? stdout.columns : undefined) ?? DEFAULT_COLUMNS;
      const text = fitTable({ head, rows: rows.map((row) => row.map(printable)), optional }, columns);
      const end = text.indexOf('\n');
      stdout.write(isBold ? `\u001b[1m${text.slice(0, end)}\u001b[0m${text.slice(end)}` : text);
    },
    note: (text) => stderr.write(`${text.split('\n').map(printable).join('\n')}\n`),
    noteJson: (value) => stderr.write(`${JSON.stringify(value)}\n`),
  };
}

/** Replaces control characters, with which a name or a text could manipulate the terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '\ufffd');
}
