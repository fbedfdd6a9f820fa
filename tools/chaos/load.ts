import type { Recording } from '../../test/support/recording.ts';
import { ChaosClient } from './client.ts';
import type { ClientContext } from './client.ts';
import { Random } from '../../test/support/random.ts';
import { isSpeaking } from './session-record.ts';
import type { SessionRecord } from './session-record.ts';
import type { ChaosTenant } from './tenants.ts';
import type { Timeline } from './timeline.ts';

export interface LoadOptions {
  readonly tenants: readonly ChaosTenant[];
  readonly streams: number;
  readonly seed: number;
  readonly gatewayUrls: readonly string[];
  /** Recordings with the texts that the service returns for them. */
  readonly recordings: readonly Recording[];
  readonly timeline: Timeline;
}

/** Clients that run one session after the other, until the load is stopped. */
export class Load {
  readonly sessions: SessionRecord[] = [];
  #isStopped = false;
  readonly #loops: readonly Promise<void>[];

  constructor(options: LoadOptions) {
    const { tenants, streams, seed, gatewayUrls, recordings, timeline } = options;
    const onSession = (record: SessionRecord) => this.sessions.push(record);
    const context: ClientContext = { gatewayUrls, recordings, timeline, onSession };
    this.#loops = Array.from({ length: streams }, async (_, index) => {
      const tenant = tenants[index % tenants.length];
      if (tenant === undefined) return;
      const client = new ChaosClient(tenant, context, new Random(seed + 1000 * (index + 1)));
      while (!this.#isStopped) await client.runSession();
    });
  }

  /** Returns the sessions whose clients wait for answers now. */
  speaking(): SessionRecord[] {
    return this.sessions.filter(isSpeaking);
  }

  /** Stops starting sessions. Resolves when all sessions have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#loops);
  }
}
