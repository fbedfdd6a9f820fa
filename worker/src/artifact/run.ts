import { randomUUID } from 'node:crypto';
import { createLogger, readSettingsOrExit } from '@svc-asr/runtime';
import { ARTIFACT_SETTINGS } from '../settings.ts';
import { readCredentials } from './credentials.ts';
import { ArtifactError } from './error.ts';
import { fetchArtifact } from './fetch.ts';

const MIB = 2 ** 20;

/**
 * Fetches the artifact that the settings name, and ends the process. On failure, the last line of the log contains the
 * reason.
 */
export async function run(): Promise<void> {
  const settings = readSettingsOrExit('worker fetch-artifact', ARTIFACT_SETTINGS);
  const logger = createLogger('worker', settings.LOG_LEVEL);
  // The process can exit at any time, because the next process continues the download.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));
  try {
    await fetchArtifact({
      source: {
        url: readUrl(settings.ARTIFACT_URL),
        credentials: readCredentials(settings.ARTIFACT_CREDENTIALS_FOLDER),
        stallMs: settings.ARTIFACT_STALL_MS,
      },
      sha256: settings.ARTIFACT_SHA256,
      folder: settings.ARTIFACT_FOLDER,
      maxBytes: settings.ARTIFACT_MAX_MIB * MIB,
      unpacked: { maxBytes: settings.ARTIFACT_MAX_UNPACKED_MIB * MIB, maxFiles: settings.ARTIFACT_MAX_FILES },
      tries: settings.ARTIFACT_MAX_ATTEMPTS,
      retry: { baseMs: settings.ARTIFACT_RETRY_BASE_MS, maxMs: settings.ARTIFACT_RETRY_MAX_MS },
      lock: {
        owner: settings.ARTIFACT_OWNER === '' ? randomUUID() : settings.ARTIFACT_OWNER,
        renewMs: settings.ARTIFACT_LOCK_RENEW_MS,
        staleMs: settings.ARTIFACT_LOCK_STALE_MS,
        pollMs: settings.ARTIFACT_LOCK_POLL_MS,
      },
      logger,
    });
  } catch (err) {
    logger.fatal({ err }, 'the artifact could not be fetched');
    process.exit(1);
  }
}

function readUrl(text: string): URL {
  const url = new URL(text);
  if (url.username === '' && url.password === '') return url;
  throw new ArtifactError('the url of the artifact contains a user or a password; put them into a Secret');
}
