export { createClient } from './client.ts';
export type { CallOptions, Client, ClientOptions, CreateSessionOptions } from './client.ts';
export { SvcAsrError, SvcAsrUnreachable } from './error.ts';
export type { Fetch, FetchInit, FetchResponse } from './exchange.ts';
export type { AsrSession, CreditBalance, Model, UsageSession } from '@svc-asr/core';
