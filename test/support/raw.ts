import { connect } from 'node:tls';
import { parse } from './answer.ts';
import type { Answer } from './answer.ts';

/** Sends bytes over TLS and reads until the server closes the connection. The bytes need not be valid HTTP. */
export async function sendRaw(baseUrl: string, ca: string, bytes: string | Buffer): Promise<Answer> {
  const { hostname, port } = new URL(baseUrl);
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), servername: hostname, ca }, () => socket.write(bytes));
    socket.setTimeout(20_000, () => socket.destroy(new Error('the server neither answered nor closed within 20 s')));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', (error: Error) => (chunks.length > 0 ? resolve() : reject(error)));
    socket.on('close', () => resolve());
  });
  return readAnswer(Buffer.concat(chunks).toString());
}

function readAnswer(text: string): Answer {
  const split = text.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = text.slice(0, Math.max(0, split)).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = text.slice(split + 4);
  return { status: Number(statusLine.split(' ')[1]), headers, text: body, body: parse(body) };
}
