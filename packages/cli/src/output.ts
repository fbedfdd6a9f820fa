import { formatTable } from './table.ts';

export interface Terminal {
  write: (text: string) => unknown;
  isTTY?: boolean | undefined;
}

/** Where results and remarks go: results to standard output, everything about them to standard error. */
export interface Output {
  /** The result for a program: one JSON document. */
  json: (value: unknown) => void;
  line: (text: string) => void;
  table: (head: readonly string[], rows: readonly (readonly string[])[]) => void;
  note: (text: string) => void;
}

/** Plain text, but for the heads of tables on a terminal. */
export function createOutput(stdout: Terminal, stderr: Terminal, env: NodeJS.ProcessEnv): Output {
  const isFancy = stdout.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  return {
    json: (value) => stdout.write(`${JSON.stringify(value, null, 2)}\n`),
    line: (text) => stdout.write(`${printable(text)}\n`),
    table: (head, rows) => {
      const text = formatTable([head, ...rows.map((row) => row.map(printable))]);
      const end = text.indexOf('\n');
      stdout.write(isFancy ? `\u001b[1m${text.slice(0, end)}\u001b[0m${text.slice(end)}` : text);
    },
    note: (text) => stderr.write(`${text.split('\n').map(printable).join('\n')}\n`),
  };
}

/** Names come from people and texts from elsewhere: one with control characters could rewrite the terminal of whoever lists it. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '\ufffd');
}
