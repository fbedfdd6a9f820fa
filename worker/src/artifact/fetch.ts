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
  /** Parent folder. The artifact is unpacked into a subfolder whose name is the checksum. */
  folder: string;
  maxBytes: number;
  unpacked: UnpackLimits;
  tries: number;
  retry: DownloadOptions['retry'];
  lock: Pick<LockOptions, 'owner' | 'renewMs' | 'staleMs' | 'pollMs'>;
  logger: Logger;
}

const PROGRESS_MS = 10_000;

/**
 * Downloads, verifies and unpacks an artifact, unless the folder of the artifact already exists. Returns the path of
 * that folder. The complete folder appears in one step. If several processes share the parent folder, only one of them
 * at a time downloads the artifact.
 */
export async function fetchArtifact(options: FetchOptions): Promise<string> {
  const { folder, sha256, lock: times, logger } = options;
  const target = join(folder, sha256);
  const onWait = () => logger.info({ reason: 'another process fetches it' }, 'waiting for the artifact');
  await mkdir(folder, { recursive: true });
  for (;;) {
    const lock = await takeLock({ ...times, file: join(folder, `.${sha256}.lock`), onWait }, () => exists(target));
    if (lock === undefined) {
      logger.info({ file: target }, 'the artifact is available');
      return target;
    }
    try {
      await fetchAndPlace(target, options, lock.signal);
    } catch (error) {
      if (!lock.signal.aborted) throw error;
      logger.warn({ reason: 'the lock was not renewed in time' }, 'another process fetches the artifact now');
    } finally {
      await lock.release();
    }
  }
}

async function fetchAndPlace(target: string, options: FetchOptions, signal: AbortSignal): Promise<void> {
  const { folder, sha256, source, logger } = options;
  logger.info({ reason: describeUrl(source.url) }, 'fetching the artifact');
  await clear(folder, `.${sha256}.tmp-`);
  const part = join(folder, `.${sha256}.part`);
  await obtain(part, options, signal);
  await place(part, target, options);
  await rm(part, { force: true });
}

/**
 * Downloads the archive and verifies its checksum. If the download continued an earlier one and the checksum is wrong,
 * downloads the whole archive once more.
 */
async function obtain(file: string, options: FetchOptions, signal: AbortSignal): Promise<void> {
  const resumed = await exists(file);
  const found = await attempt(file, options, signal);
  if (found === options.sha256) return;
  await rm(file, { force: true });
  if (!resumed) throw mismatch(found, options.sha256);
  options.logger.warn({ reason: 'wrong checksum' }, 'discarding the part of an earlier download');
  const second = await attempt(file, options, signal);
  if (second === options.sha256) return;
  await rm(file, { force: true });
  throw mismatch(second, options.sha256);
}

async function attempt(file: string, options: FetchOptions, signal: AbortSignal): Promise<string> {
  const { source, maxBytes, tries, retry, logger } = options;
  let loggedAtMs = performance.now();
  await download({
    source,
    file,
    maxBytes,
    tries,
    retry,
    signal,
    onRetry: (error) => logger.warn({ reason: error.message }, 'retrying the download'),
    onProgress: (bytes, totalBytes) => {
      if (performance.now() - loggedAtMs < PROGRESS_MS) return;
      loggedAtMs = performance.now();
      logger.info(
        { amount: bytes, reason: totalBytes === undefined ? '' : `of ${totalBytes}` },
        'bytes downloaded so far',
      );
    },
  });
  signal.throwIfAborted();
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

function mismatch(found: string, wanted: string): ArtifactError {
  return new ArtifactError(
    `the sha256 of the artifact is ${found}, but spec.artifact.sha256 is ${wanted}; correct the field or the archive`,
  );
}

/** Unpacks into a temporary folder next to the target and then renames it, so that the target is always complete. */
async function place(part: string, target: string, { folder, sha256, unpacked }: FetchOptions): Promise<void> {
  const temporary = await mkdtemp(join(folder, `.${sha256}.tmp-`));
  try {
    await unpack(part, temporary, sha256, unpacked);
    const model = await findModel(temporary);
    await syncFolder(model);
    try {
      await rename(model, target);
    } catch (error) {
      // If the target exists, another process has created it. Its content is the same, because the artifact has the
      // same checksum.
      if (!(await exists(target))) throw error;
    }
    await syncFolder(folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Returns the folder with the manifest. This is the root of the archive, or the only folder in the root. */
async function findModel(temporary: string): Promise<string> {
  if (await exists(join(temporary, 'manifest.json'))) return temporary;
  const [only, ...more] = await readdir(temporary);
  if (only !== undefined && more.length === 0 && (await exists(join(temporary, only, 'manifest.json')))) {
    return join(temporary, only);
  }
  throw new ArtifactError(
    'the archive has no manifest.json, neither at its root nor in its only folder; pack a model folder',
  );
}

async function clear(folder: string, prefix: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (basename(name).startsWith(prefix)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  // Some file systems do not support syncing a folder.
  await handle.sync().catch(() => undefined);
  await handle.close();
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
