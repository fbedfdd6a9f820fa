import type { Readable } from 'node:stream';
import type { Endpoint } from './endpoint.ts';
import type { Output } from './output.ts';

/** One option of a command. */
export interface Option {
  /** Placeholder of the value in the help. Absent for a flag without value. */
  value?: string;
  help: string;
  required?: boolean;
  /** True if the option may be repeated. */
  multiple?: boolean;
  /** Name of one character, for example `o` for -o. */
  short?: string;
  /** All possible values, for the completion of shells. */
  choices?: readonly string[];
}

/** Standard input, which may be a terminal. */
export type Stdin = Readable & { isTTY?: boolean };

/** Standard output or standard error, which may be a terminal. */
export interface Stdout extends NodeJS.WritableStream {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

/** Input and output of a command. */
export interface Invocation {
  /** Returns the value of an argument by its name in `args` of the command. */
  argument: (name: string) => string;
  /** All values of the last argument, which some commands accept several times. */
  rest: readonly string[];
  /** Returns the value of an option. Undefined if it was not given. */
  option: (name: string) => string | undefined;
  options: (name: string) => readonly string[];
  /** Reports whether a flag was given. */
  has: (name: string) => boolean;
  json: boolean;
  output: Output;
  stdin: Stdin;
  stdout: Stdout;
  stderr: Stdout;
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** Calls the listener at the next Ctrl-C instead of exiting. Returns a function that removes the listener. */
  onInterrupt: (listener: () => void) => () => void;
  publicEndpoint: () => Endpoint;
  adminEndpoint: () => Endpoint;
}

export interface Command {
  /** Words of the name of the command, for example `admin keys create`. */
  words: readonly string[];
  /** Names of the arguments. All are required. The last may be repeated if its name ends with `...`. */
  args: readonly string[];
  /** All possible values of the argument, for the completion of shells. */
  choices?: readonly string[];
  summary: string;
  /** Example invocations for the help. */
  examples?: readonly string[];
  /** API that the command calls. Determines its common options. */
  api: 'service' | 'admin' | 'none';
  options: Readonly<Record<string, Option>>;
  run: (invocation: Invocation) => Promise<void>;
}
