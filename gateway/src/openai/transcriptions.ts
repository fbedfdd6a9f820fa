import { setTimeout as sleep } from 'node:timers/promises';
import type { Request, RequestHandler, Response } from 'express';
import { ApiError, AUDIO, FILE_LIMITS, MAX_AUDIO_SECONDS } from '@svc-asr/core';
import { requireModel } from '../auth/scopes.ts';
import type { CatalogueView } from '../catalogue.ts';
import type { CheckDeadline } from '../http/deadline.ts';
import { exchangeOf, originOf } from '../http/exchange.ts';
import { NOT_STORED, sendText } from '../http/send-json.ts';
import type { Shutdown } from '../http/shutdown.ts';
import type { GatewayMetrics } from '../metrics.ts';
import { createSession } from '../sessions/create.ts';
import type { CreatedSession, CreateOptions } from '../sessions/create.ts';
import type { Streams } from '../stream/streams.ts';
import { TenantPlaces } from '../tenant-places.ts';
import { buildAnswer, joinFinals } from './answers.ts';
import { decodeFile } from './decode.ts';
import type { DecodedAudio } from './decode.ts';
import { FileClient } from './file-client.ts';
import { readFileForm } from './form.ts';
import { readParameters } from './parameters.ts';
import type { TranscriptionParameters } from './parameters.ts';
import { TranscriptEvents } from './transcript-events.ts';

export interface TranscriptionsRoute extends CreateOptions {
  catalogue: CatalogueView;
  checkDeadline: CheckDeadline;
  metrics: GatewayMetrics;
  /** Maximum number of files that this gateway reads and decodes at the same time. */
  maxFiles: number;
  shutdown: Shutdown;
  openStream: Streams['open'];
}

/** Handles POST /v1/audio/transcriptions. Recognizes a file and returns its transcript. */
export function transcriptionsRoute(options: TranscriptionsRoute): RequestHandler {
  let files = 0;
  const places = new TenantPlaces(options.maxFiles, TENANT_FULL);
  return async (request, response) => {
    if (files >= options.maxFiles) throw new ApiError('service_unavailable', { message: FULL, retryAfterS: 1 });
    const release = places.take(exchangeOf(response).tenant ?? '');
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    files++;
    const end = () => {
      files--;
      release();
    };
    const file = await readFile(options, request, response, gone.signal).catch((error: unknown) => {
      end();
      throw error;
    });
    // The file counts against `maxFiles` until its decoder has ended.
    void file.audio.closed.then(end);
    const { parameters, seconds } = file;
    const { model } = parameters;
    const events = parameters.isStreamed ? new TranscriptEvents(response) : undefined;
    const client = await recognize(options, response, file, { signal: gone.signal, events })
      .finally(file.audio.close)
      .catch((error: unknown) => {
        if (events === undefined) throw error;
        events.fail(error);
      });
    if (client === undefined) return;
    const language = options.catalogue.entries()?.find(({ id }) => id === model)?.languageCode ?? '';
    const transcript = { ...joinFinals(client.finals), seconds, language };
    if (events !== undefined) {
      events.end(transcript);
      return;
    }
    const { type, body } = buildAnswer(transcript, parameters);
    sendText(response, 200, body, { ...NOT_STORED, 'Content-Type': type });
  };
}

/** A file that was read and decoded. */
interface DecodedFile {
  readonly parameters: TranscriptionParameters;
  readonly audio: DecodedAudio;
  readonly seconds: number;
}

/** Reads the form of a request and decodes its file. */
async function readFile(
  { catalogue }: TranscriptionsRoute,
  request: Request,
  response: Response,
  signal: AbortSignal,
): Promise<DecodedFile> {
  const form = await readFileForm(request);
  const parameters = readParameters(form);
  const exchange = exchangeOf(response);
  exchange.model = parameters.model;
  requireModel(exchange.keyLimits, parameters.model, catalogue.has(parameters.model));
  const audio = await decodeFile(form.file, signal);
  if (audio.samples === 0) {
    audio.close();
    throw new ApiError('invalid_audio', { message: 'The file has no audio.' });
  }
  return { parameters, audio, seconds: audio.samples / AUDIO.sampleRateHz };
}

/** Maximum time for which the response waits for the settlement. */
const MAX_SETTLE_MS = 2000;
const TENANT_FULL =
  'The account already sends half of the files that this gateway reads at a time. Retry after one of them has been answered.';
const FULL = 'This gateway already reads as many files as it can. Retry after a second.';

/** Recognizes audio in a new session. The session is not charged if the service fails. */
async function recognize(
  options: TranscriptionsRoute,
  response: Response,
  { parameters: { model }, audio, seconds }: DecodedFile,
  { signal, events }: { signal: AbortSignal; events: TranscriptEvents | undefined },
): Promise<FileClient> {
  const { metrics } = options;
  if (options.shutdown.closed) throw new ApiError('service_unavailable');
  const exchange = exchangeOf(response);
  const tenant = exchange.tenant ?? '';
  const needed = Math.ceil(seconds);
  // The caller waits for the gateway only from now on. The upload and the decoding do not count.
  exchange.waitingSinceMs = performance.now();
  const session = await createSession(options, {
    tenant,
    model,
    // The reservation is up to one second larger than the audio, unless the audio has the maximum duration. A stream
    // that has used its whole reservation ends by itself and leaves little time for its last final.
    seconds: Math.min(Math.floor(seconds) + 1, FILE_LIMITS.maxSeconds),
    idempotencyKey: undefined,
    origin: originOf(exchange),
    modelExists: options.catalogue.has(model),
    checkDeadline: () => options.checkDeadline(response),
    onRate: (rate) => (exchange.rates = { ...exchange.rates, sessions: rate }),
  });
  metrics.sessionsCreated.add(1, { model });
  metrics.tenantUsage.countSession(tenant);
  const isGone = () => signal.aborted;
  if (session.reservedSeconds < needed || isGone()) {
    await cancel(options, tenant, model, session);
    const message = `The file has ${needed} seconds of audio, and the account has credit for ${session.reservedSeconds}. Send a shorter file, or ask the administrator of the service for more credit.`;
    throw new ApiError('insufficient_credits', { message });
  }
  const client = new FileClient(audio.frames, { isLong: seconds > MAX_AUDIO_SECONDS });
  client.onMessage = (message) => events?.onMessage(message);
  const { stream, settled } = await options.openStream(session, client).catch(async (error: unknown) => {
    await cancel(options, tenant, model, session);
    throw error;
  });
  const abort = () => stream.cancel();
  signal.addEventListener('abort', abort);
  if (isGone()) abort();
  client.start(stream);
  const { outcome, reason } = await stream.ended;
  signal.removeEventListener('abort', abort);
  // Waits for the settlement, because the session counts against the concurrency limit until then. Without the wait,
  // the next request of the client could be refused.
  await Promise.race([settled, sleep(MAX_SETTLE_MS, undefined, { ref: false })]);
  if (outcome === 'completed' && client.isComplete) return client;
  if (reason === 'account_suspended') throw new ApiError('account_inactive');
  throw new ApiError(reason === 'no_capacity' ? 'no_capacity' : 'service_unavailable');
}

/** Cancels a session whose stream was not opened, so that its credit is released. */
async function cancel({ ledger }: TranscriptionsRoute, tenant: string, model: string, session: CreatedSession) {
  await ledger.sessionAccess.delete(tenant, session.sessionId);
  // The pool releases the held slot soon even without this call, so a failure only causes a delay.
  await ledger.pools.release(model, session.sessionId).catch(() => undefined);
}
