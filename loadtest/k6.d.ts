// The part of k6's API that the load tests use (https://grafana.com/docs/k6/latest/javascript-api/).

declare module 'k6' {
  /** Pauses the virtual user. */
  export function sleep(seconds: number): void;
  /** Counts each condition in the metric `checks`, with its name in the tag `check`. Returns whether all are true. */
  export function check(value: unknown, conditions: Readonly<Record<string, boolean>>): boolean;
}

declare module 'k6/http' {
  export interface Response {
    readonly status: number;
    readonly body: string | null;
    readonly headers: Readonly<Record<string, string>>;
    readonly timings: { readonly duration: number; readonly waiting: number };
  }
  export interface Params {
    readonly headers?: Readonly<Record<string, string>>;
    readonly tags?: Readonly<Record<string, string>>;
    readonly timeout?: string;
  }
  export function get(url: string, params?: Params): Response;
  export function post(url: string, body: string, params?: Params): Response;
  export function del(url: string, body: null, params?: Params): Response;
}

declare module 'k6/metrics' {
  type Tags = Readonly<Record<string, string>>;
  export class Trend {
    constructor(name: string, isTime?: boolean);
    add(value: number, tags?: Tags): void;
  }
  export class Counter {
    constructor(name: string);
    add(value: number, tags?: Tags): void;
  }
}

declare module 'k6/execution' {
  const execution: {
    readonly vu: { readonly idInTest: number; readonly iterationInScenario: number };
    readonly scenario: { readonly startTime: number };
  };
  export default execution;
}

declare module 'k6/websockets' {
  interface Event {
    /** Unix time in milliseconds. For a message, it is the time at which the message was read from the socket. */
    readonly timestamp: number;
  }
  export class WebSocket {
    constructor(url: string, protocols: readonly string[], params?: { tags?: Readonly<Record<string, string>> });
    readonly readyState: number;
    readonly bufferedAmount: number;
    onopen: (event: Event) => void;
    onmessage: (event: Event & { readonly data: string }) => void;
    onerror: (event: Event & { readonly error: string }) => void;
    onclose: (event: Event & { readonly code?: number }) => void;
    send(data: string | ArrayBuffer): void;
    close(code?: number): void;
  }
}

/** Environment variables. */
declare const __ENV: Readonly<Record<string, string | undefined>>;
/** Number of the virtual user. It is 0 while k6 loads the script for the first time. */
declare const __VU: number;
/** Reads a file. k6 allows this only while it loads the script. */
declare function open(path: string): string;
declare function open(path: string, mode: 'b'): ArrayBuffer;
