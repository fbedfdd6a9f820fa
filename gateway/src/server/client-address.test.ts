import type { IncomingMessage } from 'node:http';
import express from 'express';
import type { Request } from 'express';
import { clientAddress } from './client-address.ts';
import type { TrustProxy } from './client-address.ts';

const app = express();
app.set('trust proxy', ['10.0.0.0/8', 'loopback']);
const trust = app.get('trust proxy fn') as TrustProxy;

const request = (remoteAddress: string, forwarded?: string) =>
  ({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress } }) as unknown as IncomingMessage;

test.each([
  ['203.0.113.1', undefined, '203.0.113.1'],
  ['203.0.113.1', '198.51.100.7', '203.0.113.1'],
  ['10.0.0.1', undefined, '10.0.0.1'],
  ['10.0.0.1', '198.51.100.7', '198.51.100.7'],
  ['10.0.0.1', '192.0.2.9, 198.51.100.7', '198.51.100.7'],
  ['10.0.0.1', '192.0.2.9, 198.51.100.7, 10.1.1.1', '198.51.100.7'],
  ['127.0.0.1', '10.9.9.9, 10.1.1.1', '10.9.9.9'],
  ['10.0.0.1', 'not an address', 'not an address'],
  ['::ffff:10.0.0.1', '2001:db8::1', '2001:db8::1'],
])(
  'clientAddress and Express agree: a request from %s with X-Forwarded-For %s has the client address %s',
  (remote, forwarded, expected) => {
    const incoming = request(remote, forwarded);
    expect(clientAddress(incoming, trust)).toBe(expected);
    const handled = Object.assign(Object.create(express.request) as Request, incoming, { app });
    expect(handled.ip).toBe(expected);
  },
);
