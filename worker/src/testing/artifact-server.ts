import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCertificate } from '../../../test/support/certificate.ts';

/** An HTTPS server on loopback that serves one archive and simulates failures. */
export interface ArtifactServer {
  url: string;
  certificate: { cert: string; key: string };
  archive: Buffer;
  /** All requests that the server has received. */
  requests: { url: string; headers: IncomingMessage['headers'] }[];
  /** Handlers for the next requests, one for each request. A handler answers its request in place of the archive. */
  instead: ((request: IncomingMessage, response: ServerResponse) => void)[];
  /** Numbers of bytes after which the next responses are interrupted, one number for each response. */
  cuts: number[];
  /** Whether the server supports range requests. */
  ranges: boolean;
  stop: () => Promise<void>;
}

/** Starts a server for an archive. Uses the certificate `known`, or creates a new one. */
export async function serveArtifact(archive: Buffer, known?: ArtifactServer['certificate']): Promise<ArtifactServer> {
  const certificate = known ?? (await createCertificate());
  const server = createServer(certificate, (request, response) => {
    state.requests.push({ url: request.url ?? '', headers: request.headers });
    const other = state.instead.shift();
    if (other === undefined) answer(state, request, response);
    else other(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const state: ArtifactServer = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificate,
    archive,
    requests: [],
    instead: [],
    cuts: [],
    ranges: true,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return state;
}

function answer({ archive, ranges, cuts }: ArtifactServer, request: IncomingMessage, response: ServerResponse): void {
  const from = ranges ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0;
  if (from >= archive.length) {
    response.writeHead(416, { 'content-range': `bytes */${archive.length}` }).end();
    return;
  }
  const body = archive.subarray(from);
  const range = from > 0 ? { 'content-range': `bytes ${from}-${archive.length - 1}/${archive.length}` } : {};
  response.writeHead(from > 0 ? 206 : 200, { 'content-length': body.length, etag: '"1"', ...range });
  const cut = cuts.shift();
  if (cut === undefined) response.end(body);
  else response.write(body.subarray(0, cut), () => setTimeout(() => response.destroy(), 50));
}
