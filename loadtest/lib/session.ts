import { check, sleep } from 'k6';
import execution from 'k6/execution';
import { del, post } from 'k6/http';
import type { Response } from 'k6/http';
import { refusals, sessions } from './metrics.ts';
import { currentTags } from './current-tags.ts';
import type { Caller } from './plan.ts';
import { callerOf } from './callers.ts';
import { plan } from './plan-file.ts';
import { CHECKS } from './thresholds.ts';

/** A session, with data of the response to POST. `protocols` contains a secret. */
export interface Session {
  readonly id: string;
  readonly url: string;
  readonly protocols: readonly string[];
}

/** Longest wait after a refusal before a tenant tries again. */
const MAX_WAIT_SECONDS = 5;

/** Creates a session. If it is refused, waits for the time in Retry-After, but at most 5 s, and returns undefined. */
export function createSession({ key, role }: Caller, seconds: number): Session | undefined {
  const body = JSON.stringify({ model: plan.model, max_audio_seconds: seconds });
  const response = post(`${plan.baseUrl}/v1/asr/sessions`, body, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    tags: { name: 'create session', role, ...currentTags() },
    timeout: '30s',
  });
  if (response.status === 201 && response.body !== null) {
    sessions.add(1, { role });
    return sessionOf(response.body);
  }
  const { status } = response;
  const code = codeOf(response);
  const retryAfter = response.headers['Retry-After'];
  const isAllowed = plan.mayBeRefused && (status === 429 || status === 503) && retryAfter !== undefined;
  if (!check(null, { [CHECKS.refused]: isAllowed })) {
    console.error(`session refused with ${status} ${code}, Retry-After ${retryAfter ?? 'missing'}`);
  }
  refusals.add(1, { role, code: `${status} ${code}`, ...currentTags() });
  sleep(Math.min(Number(retryAfter ?? 1), MAX_WAIT_SECONDS));
  return undefined;
}

/** Creates a session and deletes it without opening its stream. */
export function createAndDelete(): void {
  const caller = callerOf('regular', execution.vu.idInTest);
  const session = createSession(caller, 1);
  if (session === undefined) return;
  const { status } = del(`${plan.baseUrl}/v1/asr/sessions/${session.id}`, null, {
    headers: { authorization: `Bearer ${caller.key}` },
    tags: { name: 'delete session', role: caller.role },
  });
  check(null, { [CHECKS.closed]: status === 204 });
}

/** Reads the session from the text of a response to POST. */
export function sessionOf(text: string): Session {
  const body = JSON.parse(text) as { id: string; websocket_url: string; websocket_protocols: string[] };
  const url =
    plan.streamOrigin === ''
      ? body.websocket_url
      : body.websocket_url.replace(/^wss?:\/\/[^/]+/, () => plan.streamOrigin);
  return { id: body.id, url, protocols: body.websocket_protocols };
}

function codeOf({ body }: Response): string {
  try {
    return (JSON.parse(body ?? '') as { error: { code: string } }).error.code;
  } catch {
    return 'none';
  }
}
