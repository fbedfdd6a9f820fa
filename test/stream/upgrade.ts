import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import type { Answer } from '../support/answer.ts';
import { parse } from '../support/answer.ts';
import type { SessionBody } from '../support/stream-client.ts';

export interface Handshake {
  /** Subprotocols to offer. The default is the subprotocols of the session. If undefined, the header is not sent. */
  protocols?: readonly string[] | undefined;
  path?: string;
  method?: string;
  /**
   * Headers that are added to the headers of a WebSocket handshake, or that replace them. If a value is undefined, the
   * header is not sent.
   */
  headers?: Readonly<Record<string, string | undefined>>;
}

/** Sends a handshake and disconnects before the answer. */
export async function abandon(session: SessionBody): Promise<void> {
  const { hostname, port, pathname } = new URL(session.websocket_url);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries(upgradeHeaders(session.websocket_protocols)).map(([name, value]) => `${name}: ${value}`);
  socket.end([`GET ${pathname} HTTP/1.1`, `Host: ${hostname}`, ...lines, '', ''].join('\r\n'));
  await once(socket, 'finish');
  socket.destroy();
}

/** Sends a handshake and returns the answer. A connection that is answered with 101 is closed immediately. */
export function upgrade(session: SessionBody, handshake: Handshake = {}): Promise<Answer> {
  const { host, pathname } = new URL(session.websocket_url);
  const protocols = 'protocols' in handshake ? handshake.protocols : session.websocket_protocols;
  const headers = { ...upgradeHeaders(protocols), ...handshake.headers };
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const path = handshake.path ?? pathname;
  return new Promise((resolve, reject) => {
    const { method = 'GET' } = handshake;
    const outgoing = request(`http://${host}${path}`, { method, headers: Object.fromEntries(given), agent: false });
    outgoing.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: '', body: undefined });
    });
    outgoing.once('response', (response) => {
      let text = '';
      response.on('data', (data: Buffer) => (text += data.toString()));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parse(text) }),
      );
    });
    outgoing.once('error', reject);
    outgoing.setTimeout(20_000, () => outgoing.destroy(new Error('no answer within 20 s')));
    outgoing.end();
  });
}

function upgradeHeaders(protocols: readonly string[] | undefined): Record<string, string | undefined> {
  return {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    'Sec-WebSocket-Protocol': protocols?.join(', '),
  };
}
