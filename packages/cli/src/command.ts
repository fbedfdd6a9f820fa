import type { Readable } from 'node:stream';
import type { Endpoint } from './endpoint.ts';
import type { Output } from './output.ts';

/** One option of a command. */
export interface Option {
  /** What stands for its value in the help; absent: a switch. */
  value?: string;
  help: string;
  required?: boolean;
  /** May be given several times. */
  multiple?: boolean;
}

/** Standard output, which may be a terminal. */
export interface Stdout extends NodeJS.WritableStream {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

/** What a command works with. */
export interface Invocation {
  /** The value of an argument, by its name in `args`. */
  argument: (name: string) => string;
  /** The value of an option; undefined when it was not given. */
  option: (name: string) => string | undefined;
  options: (name: string) => readonly string[];
  /** Whether a switch was given. */
  has: (name: string) => boolean;
  json: boolean;
  output: Output;
  stdin: Readable;
  stdout: Stdout;
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Calls the listener at the next Ctrl-C instead of ending; gives a function that takes it back. */
  onInterrupt: (listener: () => void) => () => void;
  publicEndpoint: () => Endpoint;
  adminEndpoint: () => Endpoint;
}

export interface Command {
  /** The words that name it. */
  words: readonly string[];
  /** Names of its arguments, all required. */
  args: readonly string[];
  summary: string;
  /** Which service it speaks to: decides which common options it has. */
  speaksTo: 'service' | 'admin';
  options: Readonly<Record<string, Option>>;
  run: (invocation: Invocation) => Promise<void>;
}
