import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Logger } from '@svc-asr/runtime';
import { download } from './download.ts';
import type { DownloadOptions } from './download.ts';
import { ArtifactError } from './error.ts';
import { takeLock } from './lock.ts';
import type { LockOptions } from './lock.ts';
import { describeUrl } from './request.ts';
import type { ArtifactSource } from './request.ts';
import { unpack } from './unpack.ts';
import type { UnpackLimits } from './unpack.ts';

export interface FetchOptions {
  source: ArtifactSource;
  sha256: string;
  /** The artifact is unpacked into a folder of it that is named by the checksum. */
  folder: string;
  maxBytes: number;
  unpacked: UnpackLimits;
  tries: number;
  retry: DownloadOptions['retry'];
  lock: Pick<LockOptions, 'owner' | 'renewMs' | 'staleMs' | 'pollMs'>;
  logger: Logger;
}

const PROGRESS_MS = 10_000;

/** Has an artifact in its folder: downloaded, checked, unpacked and put there in one step; once for all who share the folder. */
export async function fetchArtifact(options: FetchOptions): Promise<string> {
  const { folder, sha256, lock: times, logger } = options;
  const target = join(folder, sha256);
  const onWait = () => logger.info({ reason: 'another one fetches it' }, 'waiting for the artifact');
  await mkdir(folder, { recursive: true });
  for (;;) {
    const lock = await takeLock({ ...times, file: join(folder, `.${sha256}.lock`), onWait }, () => exists(target));
    if (lock === undefined) {
      logger.info({ file: target }, 'the artifact is there');
      return target;
    }
    try {
      await make(target, options, lock.signal);
    } catch (error) {
      if (!lock.signal.aborted) throw error;
      logger.warn({ reason: 'it was too slow to renew the lock' }, 'another one fetches the artifact now');
    } finally {
      await lock.release();
    }
  }
}

async function make(target: string, options: FetchOptions, signal: AbortSignal): Promise<void> {
  const { folder, sha256, source, logger } = options;
  logger.info({ reason: describeUrl(source.url) }, 'fetching the artifact');
  await clear(folder, `.${sha256}.tmp-`);
  const part = join(folder, `.${sha256}.part`);
  await obtain(part, options, signal);
  await place(part, target, options);
  await rm(part, { force: true });
}

/** Brings the archive into a file whose checksum is right. What an earlier try left may be of something else. */
async function obtain(file: string, options: FetchOptions, signal: AbortSignal): Promise<void> {
  const resumed = await exists(file);
  const found = await attempt(file, options, signal);
  if (found === options.sha256) return;
  await rm(file, { force: true });
  if (!resumed) throw mismatch(found, options.sha256);
  options.logger.warn({ reason: 'its checksum is wrong' }, 'what was left of an earlier download is of no use');
  const anew = await attempt(file, options, signal);
  if (anew === options.sha256) return;
  await rm(file, { force: true });
  throw mismatch(anew, options.sha256);
}

async function attempt(file: string, options: FetchOptions, signal: AbortSignal): Promise<string> {
  const { source, maxBytes, tries, retry, logger } = options;
  let toldMs = performance.now();
  await download({
    source,
    file,
    maxBytes,
    tries,
    retry,
    signal,
    onRetry: (error) => logger.warn({ reason: error.message }, 'the download is tried again'),
    onProgress: (bytes, totalBytes) => {
      if (performance.now() - toldMs < PROGRESS_MS) return;
      toldMs = performance.now();
      logger.info({ amount: bytes, reason: totalBytes === undefined ? '' : `of ${totalBytes}` }, 'bytes so far');
    },
  });
  signal.throwIfAborted();
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

function mismatch(found: string, wanted: string): ArtifactError {
  return new ArtifactError(
    `the sha256 of the artifact is ${found}, spec.artifact.sha256 says ${wanted}: correct it, or the archive`,
  );
}

/** Unpacks beside the target and renames: whoever sees the target sees all of it. */
async function place(part: string, target: string, { folder, sha256, unpacked }: FetchOptions): Promise<void> {
  const draft = await mkdtemp(join(folder, `.${sha256}.tmp-`));
  try {
    await unpack(part, draft, sha256, unpacked);
    const model = await findModel(draft);
    await syncFolder(model);
    try {
      await rename(model, target);
    } catch (error) {
      // Another one was faster: what it put there has the same checksum.
      if (!(await exists(target))) throw error;
    }
    await syncFolder(folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The folder with the manifest: the archive's root, or the one folder in it. */
async function findModel(draft: string): Promise<string> {
  if (await exists(join(draft, 'manifest.json'))) return draft;
  const [only, ...more] = await readdir(draft);
  if (only !== undefined && more.length === 0 && (await exists(join(draft, only, 'manifest.json')))) {
    return join(draft, only);
  }
  throw new ArtifactError(
    'the archive has no manifest.json, neither at its root nor in its only folder: pack a model folder',
  );
}

async function clear(folder: string, prefix: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (basename(name).startsWith(prefix)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  // Some file systems cannot; then what they have is as durable as they make it.
  await handle.sync().catch(() => undefined);
  await handle.close();
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
