import { formatTable } from './table.ts';

export interface Terminal {
  write: (text: string) => unknown;
  isTTY?: boolean | undefined;
}

/** Prints results to standard output and notes to standard error. */
export interface Output {
  /** Prints the result as one JSON document. */
  json: (value: unknown) => void;
  line: (text: string) => void;
  table: (head: readonly string[], rows: readonly (readonly string[])[]) => void;
  note: (text: string) => void;
}

/** Creates the output. Table headings are bold on a terminal, everything else is plain text. */
export function createOutput(stdout: Terminal, stderr: Terminal, env: NodeJS.ProcessEnv): Output {
  const isBold = stdout.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  return {
    json: (value) => stdout.write(`${JSON.stringify(value, null, 2)}\n`),
    line: (text) => stdout.write(`${printable(text)}\n`),
    table: (head, rows) => {
      const text = formatTable([head, ...rows.map((row) => row.map(printable))]);
      const end = text.indexOf('\n');
      stdout.write(isBold ? `\u001b[1m${text.slice(0, end)}\u001b[0m${text.slice(end)}` : text);
    },
    note: (text) => stderr.write(`${text.split('\n').map(printable).join('\n')}\n`),
  };
}

/** Replaces control characters, with which a name or a text could manipulate the terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '\ufffd');
}
