/**
 * Thrown if the service refused a request. `code` is stable and identifies the cause. Quote `requestId` when you ask
 * for help.
 */
export class SvcAsrError extends Error {
  override readonly name = 'SvcAsrError';
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly requestId: string | undefined;
  /** Seconds to wait before the same request may be sent again. */
  readonly retryAfterS: number | undefined;

  constructor(message: string, facts: RefusalFacts) {
    super(message);
    this.status = facts.status;
    this.type = facts.type;
    this.code = facts.code;
    this.requestId = facts.requestId;
    this.retryAfterS = facts.retryAfterS;
  }
}

export interface RefusalFacts {
  status: number;
  type: string;
  code: string;
  requestId: string | undefined;
  retryAfterS: number | undefined;
}

/** Thrown if the service could not be reached or did not respond completely in time. */
export class SvcAsrUnreachable extends Error {
  override readonly name = 'SvcAsrUnreachable';
}

/** The parts of an HTTP response that the client reads. */
export interface Answer {
  status: number;
  header: (name: string) => string | null;
  text: string;
}

/** Builds the error for a response that is not successful. */
export function refusalOf(answer: Answer): SvcAsrError {
  const { status } = answer;
  const { error } = parseBody(answer.text) as { error?: unknown };
  const { type, code, message, request_id: requestId } = (error ?? {}) as Record<string, unknown>;
  const retryAfter = answer.header('retry-after') ?? '';
  return new SvcAsrError(textOr(message, `the service responded with HTTP ${status}`), {
    status,
    // A body in another format comes from a proxy between client and service.
    type: textOr(type, 'unexpected_response'),
    code: textOr(code, 'unexpected_response'),
    requestId: typeof requestId === 'string' ? requestId : (answer.header('x-request-id') ?? undefined),
    retryAfterS: /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : undefined,
  });
}

function parseBody(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback;
}
