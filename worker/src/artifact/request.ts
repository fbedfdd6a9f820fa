import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { getCACertificates } from 'node:tls';
import type { Credentials } from './credentials.ts';
import { ArtifactError } from './error.ts';

export interface ArtifactSource {
  url: URL;
  credentials: Credentials;
  /** Longest time without received data. */
  stallMs: number;
}

/** The bytes of an artifact from an offset to its end. */
export interface ArtifactBody {
  stream: IncomingMessage;
  /** Offset of the first byte. 0 if the server ignored the requested offset and sends the whole artifact. */
  offset: number;
  /** Size of the whole artifact. Undefined if the server does not report it. */
  totalBytes: number | undefined;
  etag: string | undefined;
}

/**
 * Result of a request if the artifact has no bytes after the requested offset, because the earlier download is
 * complete.
 */
export const NOTHING_LEFT = 'nothing left';

const MAX_REDIRECTS = 5;
const REDIRECTS: readonly (number | undefined)[] = [301, 302, 303, 307, 308];
/** Status codes for which a retry may succeed. */
const PASSING: readonly (number | undefined)[] = [408, 425, 429, 500, 502, 503, 504];

/**
 * Requests the artifact starting at an offset, and follows redirects. If `etag` is given and the artifact has changed,
 * the server sends the whole artifact.
 */
export async function requestArtifact(
  source: ArtifactSource,
  { offset, etag }: { offset: number; etag: string | undefined },
  signal: AbortSignal,
): Promise<ArtifactBody | typeof NOTHING_LEFT> {
  const { header, ca } = source.credentials;
  let { url } = source;
  let trusted = true;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const headers: Record<string, string> = {
      // The server must send the archive as it is stored, without compression, because the checksum is computed from
      // these bytes.
      'accept-encoding': 'identity',
      ...(offset > 0 && { range: `bytes=${offset}-` }),
      ...(offset > 0 && etag !== undefined && { 'if-range': etag }),
      ...(trusted && header !== undefined && { [header[0]]: header[1] }),
    };
    const answer = await send(url, { headers, ca, stallMs: source.stallMs, signal });
    if (!REDIRECTS.includes(answer.statusCode)) return readAnswer(answer, offset, url);
    answer.resume();
    url = follow(url, answer.headers.location);
    // After a redirect to another origin, no further request contains the credentials.
    trusted &&= url.origin === source.url.origin;
  }
  throw new ArtifactError(`${describeUrl(source.url)} redirects more than ${MAX_REDIRECTS} times`);
}

/** Returns a URL for logs and messages. Omits the query, because it may contain a secret. */
export function describeUrl({ origin, pathname }: URL): string {
  return origin + pathname;
}

function send(
  url: URL,
  {
    headers,
    ca,
    stallMs,
    signal,
  }: { headers: Record<string, string>; ca: string | undefined; stallMs: number; signal: AbortSignal },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      headers,
      signal,
      agent: false,
      timeout: stallMs,
      ...(ca !== undefined && { ca: [...getCACertificates(), ca] }),
    });
    // The timeout is the time since the last byte was sent or received. It also applies to the DNS lookup and to the
    // connection setup.
    sent.once('timeout', () => sent.destroy(new Error(`no data received for ${stallMs} ms`)));
    sent.once('response', resolve);
    sent.once('error', (cause) =>
      reject(
        new ArtifactError(`${describeUrl(url)} cannot be reached: ${cause.message}`, { isRetryable: true, cause }),
      ),
    );
    sent.end();
  });
}

function follow(from: URL, location: string | undefined): URL {
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw new ArtifactError(`${describeUrl(from)} redirects without a valid location`);
  }
  const to = new URL(location, from);
  if (to.protocol !== 'https:')
    throw new ArtifactError(`${describeUrl(from)} redirects to an address that is not https`);
  return to;
}

function readAnswer(answer: IncomingMessage, asked: number, url: URL): ArtifactBody | typeof NOTHING_LEFT {
  const { statusCode: status, headers } = answer;
  const { etag, 'content-length': length, 'content-range': range } = headers;
  // A weak ETag is ignored, because it does not guarantee that the bytes are identical.
  const strong = etag?.startsWith('W/') === true ? undefined : etag;
  if (status === 200) {
    return { stream: answer, offset: 0, totalBytes: length === undefined ? undefined : Number(length), etag: strong };
  }
  const [, from, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(range ?? '') ?? [];
  if (status === 206 && Number(from) === asked) {
    const totalBytes = total === undefined || total === '*' ? undefined : Number(total);
    return { stream: answer, offset: asked, totalBytes, etag: strong };
  }
  answer.destroy();
  if (status === 416 && asked > 0 && range === `bytes */${asked}`) return NOTHING_LEFT;
  throw refuse(status, url, headers['retry-after']);
}

function refuse(status: number | undefined, url: URL, retryAfter: string | undefined): ArtifactError {
  const what = `${describeUrl(url)} answered ${status ?? 0}`;
  if (status === 401 || status === 403) {
    return new ArtifactError(`${what}: check the Secret in spec.artifact.secretRef`);
  }
  if (status === 404 || status === 410) return new ArtifactError(`${what}: check spec.artifact.url`);
  // The part on disk does not belong to the artifact that the server has now.
  if (status === 416 || status === 206) {
    return new ArtifactError(`${what}: the download starts again from the beginning`, {
      isRetryable: true,
      discardsPart: true,
    });
  }
  const seconds = Number(retryAfter);
  const retryAfterMs = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
  return new ArtifactError(what, { isRetryable: PASSING.includes(status), retryAfterMs });
}
