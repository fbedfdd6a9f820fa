import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ArtifactError } from './error.ts';
import { NOTHING_LEFT, requestArtifact } from './request.ts';
import type { ArtifactSource } from './request.ts';

export interface DownloadOptions {
  source: ArtifactSource;
  /** Target file. If it exists, it contains the start of the artifact, and the download continues after this part. */
  file: string;
  maxBytes: number;
  /** Number of consecutive attempts without received data before the download fails. */
  tries: number;
  retry: { baseMs: number; maxMs: number };
  signal: AbortSignal;
  onProgress: (bytes: number, totalBytes: number | undefined) => void;
  /** Called when an attempt has failed and another one follows. */
  onRetry: (error: ArtifactError) => void;
}

/**
 * Downloads an artifact into a file. A transfer that was interrupted continues where it stopped, even if an earlier
 * process started it. The transfer starts from the beginning if the server sends the whole artifact, or if the part on
 * disk cannot be used.
 */
export async function download(options: DownloadOptions): Promise<void> {
  const { file, signal, retry, onRetry } = options;
  let etag: string | undefined;
  let failures = 0;
  for (;;) {
    const before = await sizeOf(file);
    try {
      await transfer(options, before, etag, (tag) => (etag = tag));
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ArtifactError) || !error.isRetryable) throw error;
      const gained = (await sizeOf(file)) > before;
      failures = gained ? 0 : failures + 1;
      if (failures >= options.tries) throw error;
      if (error.discardsPart) await rm(file, { force: true });
      onRetry(error);
      const waitMs = Math.min(retry.maxMs, retry.baseMs * 2 ** failures) * (0.5 + Math.random() / 2);
      await sleep(Math.min(retry.maxMs, Math.max(waitMs, error.retryAfterMs ?? 0)), undefined, { signal });
    }
  }
}

async function transfer(
  { source, file, maxBytes, signal, onProgress }: DownloadOptions,
  offset: number,
  etag: string | undefined,
  onTag: (etag: string | undefined) => void,
): Promise<void> {
  const body = await requestArtifact(source, { offset, etag }, signal);
  if (body === NOTHING_LEFT) return;
  onTag(body.etag);
  let bytes = body.offset;
  const { totalBytes } = body;
  const check = (size: number) => {
    if (size <= maxBytes) return;
    body.stream.destroy();
    throw new ArtifactError(`the artifact has more than ${maxBytes} bytes; raise ARTIFACT_MAX_MIB to allow this size`);
  };
  check(totalBytes ?? 0);
  const meter = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      check(bytes);
      onProgress(bytes, totalBytes);
      yield chunk;
    }
  };
  try {
    await pipeline(body.stream, meter, createWriteStream(file, { flags: body.offset === 0 ? 'w' : 'a', flush: true }), {
      signal,
    });
  } catch (cause) {
    if (cause instanceof ArtifactError || isLocal(cause)) throw cause;
    throw new ArtifactError(`the transfer was interrupted after ${bytes} bytes`, { isRetryable: true, cause });
  }
  if (totalBytes !== undefined && bytes < totalBytes) {
    throw new ArtifactError(`the transfer ended after ${bytes} of ${totalBytes} bytes`, { isRetryable: true });
  }
}

/** Returns true if the error comes from the local disk, and false if it comes from the connection to the server. */
function isLocal(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return ['ENOSPC', 'EROFS', 'EACCES', 'EDQUOT', 'EIO', 'ENOENT'].includes(code ?? '');
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    return 0;
  }
}
