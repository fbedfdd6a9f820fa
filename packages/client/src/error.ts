/** The service answered and refused. `code` is stable and says why; quote `requestId` when asking for help. */
export class SvcAsrError extends Error {
  override readonly name = 'SvcAsrError';
  readonly status: number;
  readonly type: string;
  readonly code: string;
  readonly requestId: string | undefined;
  /** How long to wait before the same request may be made again. */
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

/** The service could not be reached, or did not answer in time or in full. */
export class SvcAsrUnreachable extends Error {
  override readonly name = 'SvcAsrUnreachable';
}

/** What an answer is read from. */
export interface Answer {
  status: number;
  header: (name: string) => string | null;
  text: string;
}

/** The error that an answer of the service stands for. */
export function refusalOf(answer: Answer): SvcAsrError {
  const { status } = answer;
  const { error } = parseBody(answer.text) as { error?: unknown };
  const { type, code, message, request_id: requestId } = (error ?? {}) as Record<string, unknown>;
  const retryAfter = answer.header('retry-after') ?? '';
  return new SvcAsrError(textOr(message, `the service answered with HTTP ${status}`), {
    status,
    // Not in the form of the service: a proxy between here and there answered.
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

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}
