import { randomBytes } from 'node:crypto';
import type { EndedAdminSessions } from '@svc-asr/ledger';
import type { Keyring } from '@svc-asr/runtime';
import type { Request, Response } from 'express';
import { createCookie } from '../../http/cookie.ts';
import { readIfAvailable } from '../../ledger-view.ts';
import type { LedgerView } from '../../ledger-view.ts';
import type { Administrator } from './administrator.ts';
import { createCookieValues } from './cookie-value.ts';
import type { AdminSession, CookieValues } from './cookie-value.ts';

/** Maximum lifetime of a session. */
const SESSION_MS = 12 * 3_600_000;
/** Time for which the list of ended sessions is not read again. */
const FRESH_MS = 1000;
const ID_BYTES = 16;
const COOKIE = createCookie('svc_asr_admin', 'Strict');

export interface AdminSessionDeps {
  ledger: Pick<LedgerView, 'endedAdminSessions'>;
  peppers: Keyring;
  settings: { ADMIN_TOKEN: string };
  now: () => number;
}

/**
 * Sessions of browsers on the page for administrators. A session is a signed cookie, so administrators can sign in and
 * work while Redis is unavailable. Redis lists the sessions that were ended early. While Redis is unavailable, this
 * process uses the list that it read last, together with the sessions that it has ended itself.
 */
export class AdminSessions {
  readonly #deps: AdminSessionDeps;
  readonly #values: CookieValues;
  /** Expiry of each ended session that this process knows, by session id. Redis may not contain all of them yet. */
  readonly #endedUntilMs = new Map<string, number>();
  #startedBeforeMs = 0;
  #readAtMs = -Infinity;

  constructor(deps: AdminSessionDeps) {
    this.#deps = deps;
    this.#values = createCookieValues(deps.peppers, deps.settings.ADMIN_TOKEN);
  }

  /** Signs a browser in. */
  start(request: Request, response: Response, administrator: Administrator): AdminSession {
    const startedAtMs = this.#deps.now();
    const id = randomBytes(ID_BYTES).toString('hex');
    const session = { id, administrator, startedAtMs, expiresAtMs: startedAtMs + SESSION_MS };
    COOKIE.write(request, response, this.#values.write(session), SESSION_MS);
    return session;
  }

  /**
   * Returns the session of a request. Undefined if there is no valid session, `forged` if the signature of the cookie
   * is wrong.
   */
  async find(request: Request): Promise<AdminSession | 'forged' | undefined> {
    const session = this.#values.read(COOKIE.read(request) ?? '');
    if (session === undefined || session === 'forged') return session;
    const nowMs = this.#deps.now();
    if (session.expiresAtMs <= nowMs) return undefined;
    if (nowMs - this.#readAtMs >= FRESH_MS) await this.#refresh(nowMs);
    const isEnded = this.#endedUntilMs.has(session.id) || session.startedAtMs < this.#startedBeforeMs;
    return isEnded ? undefined : session;
  }

  /** Ends a session. Returns false if Redis is unavailable. Other consoles then still accept the session. */
  async end(request: Request, response: Response, { id, expiresAtMs }: AdminSession): Promise<boolean> {
    this.#endedUntilMs.set(id, expiresAtMs);
    COOKIE.clear(request, response);
    return this.#refresh(this.#deps.now());
  }

  /**
   * Ends all sessions that have started until now. Returns false if Redis is unavailable. Other consoles then still
   * accept these sessions.
   */
  async endAll(): Promise<boolean> {
    const nowMs = this.#deps.now();
    this.#startedBeforeMs = nowMs + 1;
    return this.#refresh(nowMs);
  }

  /**
   * Reads the ended sessions from Redis. Then adds the ended sessions that are missing in Redis. Returns false if Redis
   * is unavailable.
   */
  async #refresh(nowMs: number): Promise<boolean> {
    const { endedAdminSessions } = this.#deps.ledger;
    const { available } = await readIfAvailable(async () => {
      const stored = await endedAdminSessions.read();
      const missing = this.#missingIn(stored);
      this.#startedBeforeMs = Math.max(this.#startedBeforeMs, stored.startedBeforeMs);
      for (const [id, untilMs] of stored.untilMs) this.#endedUntilMs.set(id, untilMs);
      if (missing !== undefined) await endedAdminSessions.add(missing, nowMs);
      for (const [id, untilMs] of this.#endedUntilMs) if (untilMs <= nowMs) this.#endedUntilMs.delete(id);
      this.#readAtMs = nowMs;
    });
    return available;
  }

  #missingIn(stored: EndedAdminSessions): EndedAdminSessions | undefined {
    const missing = [...this.#endedUntilMs].filter(([id]) => !stored.untilMs.has(id));
    const isComplete = missing.length === 0 && this.#startedBeforeMs <= stored.startedBeforeMs;
    return isComplete ? undefined : { untilMs: new Map(missing), startedBeforeMs: this.#startedBeforeMs };
  }
}
