import type { Balance, CatalogueEntry, Ledger, SessionRecord } from '@svc-asr/ledger';
import { WebSocket } from 'ws';
import type { ClientOptions } from 'ws';
import { eventually } from '../support/eventually.ts';
import { MODEL, ownPrefix, seedTenant, startGateway } from '../support/gateway.ts';
import type { TestGateway } from '../support/gateway.ts';
import { openLedger } from '../support/ledger.ts';
import { startRedis } from '../support/redis.ts';
import type { TestRedis } from '../support/redis.ts';
import { createSession, StreamClient } from '../support/stream-client.ts';
import type { SessionBody } from '../support/stream-client.ts';
import { startWorker } from '../support/worker.ts';
import type { TestWorker } from '../support/worker.ts';

/** Timeout of a `beforeAll` that calls `setStage`. */
export const STAGE_TIMEOUT_MS = 180_000;
/** Credit of a tenant, which is more than any session reserves. */
export const CREDIT_MS = 3_600_000;

export interface StageOptions {
  /** Settings of the gateway. */
  gateway?: NodeJS.ProcessEnv;
  /** Settings of each worker to start. The default is one worker with default settings. */
  workers?: NodeJS.ProcessEnv[];
  /** Models in addition to the Kikuyu one. */
  models?: CatalogueEntry[];
}

export interface Caller {
  readonly tenant: string;
  readonly key: string;
  readonly keyId: string;
}

/** A stream whose handshake was answered with 101. */
export interface Opened extends Caller {
  readonly session: SessionBody;
  readonly stream: StreamClient;
}

/** A session that has ended, with the balance of its account. */
export type Settled = SessionRecord & { balance: Balance };

/** Redis, a gateway and workers for one test file. */
export class Stage {
  readonly redis: TestRedis;
  readonly ledger: Ledger;
  readonly gateway: TestGateway;
  readonly workers: TestWorker[];
  /** Prefix of the keys in Redis. */
  readonly prefix: string;

  constructor(redis: TestRedis, ledger: Ledger, gateway: TestGateway, workers: TestWorker[], prefix: string) {
    this.redis = redis;
    this.ledger = ledger;
    this.gateway = gateway;
    this.workers = workers;
    this.prefix = prefix;
  }

  /** Creates a tenant with credit for many sessions. */
  caller(concurrentSessions = 1): Promise<Caller> {
    return seedTenant(this.ledger, CREDIT_MS, { concurrentSessions });
  }

  session({ key }: Caller, seconds = 60, model = MODEL): Promise<SessionBody> {
    return createSession(this.gateway, key, { model, max_audio_seconds: seconds });
  }

  /** Creates a session and opens its stream. By default the tenant is new. */
  async connect(
    seconds = 60,
    options: { caller?: Caller; model?: string; socket?: ClientOptions } = {},
  ): Promise<Opened> {
    const caller = options.caller ?? (await this.caller());
    const session = await this.session(caller, seconds, options.model);
    const { websocket_url: url, websocket_protocols: protocols } = session;
    const socket = new WebSocket(url, protocols, { perMessageDeflate: false, ...options.socket });
    const stream = new StreamClient(socket);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return { ...caller, session, stream };
  }

  /** Opens a stream and waits for `ready`. */
  async ready(seconds = 60, options: { socket?: ClientOptions } = {}): Promise<Opened> {
    const opened = await this.connect(seconds, options);
    await opened.stream.next('ready');
    return opened;
  }

  /** Waits until a session of a tenant has ended. Returns the newest ended session. */
  async settled({ tenant }: Caller, withinMs = 30_000): Promise<Settled> {
    return eventually('the session has ended', withinMs, async () => {
      const usage = await this.ledger.accounts.usage(tenant);
      const record = usage?.recent.find(({ completedAtMs }) => completedAtMs !== null);
      if (usage === undefined || record === undefined) return undefined;
      return { ...record, balance: usage.balance };
    });
  }

  async startWorker(): Promise<TestWorker> {
    const worker = await startWorker(this.redis.url, this.prefix);
    this.workers.push(worker);
    return worker;
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await Promise.all(this.workers.map((worker) => worker.stop()));
    await this.ledger.link.close();
    await this.redis.stop();
  }
}

/** Starts Redis, and then the gateway and the workers in parallel. */
export async function setStage({ gateway = {}, workers = [{}], models = [] }: StageOptions = {}): Promise<Stage> {
  const prefix = ownPrefix();
  const redis = await startRedis();
  const ledger = await openLedger(redis.url, { prefix });
  const kikuyu = { id: MODEL, language: 'Kikuyu', languageCode: 'ki', maxAudioSeconds: 300, maxWaitSeconds: 120 };
  await ledger.catalogue.replace([kikuyu, ...models]);
  const [started, ...crew] = await Promise.all([
    startGateway(redis.url, prefix, { STOP_GRACE_MS: '4000', ...gateway }),
    ...workers.map((env) => startWorker(redis.url, prefix, env)),
  ]);
  return new Stage(redis, ledger, started, crew, prefix);
}
