import { texts } from '../texts/index.ts';

/** A failed request, with a message for the user. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  /** Error code that the API returned, or `unreachable` if no response arrived. Empty if the response has no code. */
  readonly code: string;
  readonly status: number;
  readonly requestId: string | undefined;

  constructor(
    message: string,
    { code, status = 0, requestId }: { code: string; status?: number; requestId?: string | undefined },
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.requestId = requestId;
  }
}

export interface CallOptions {
  /** Values of the parts of the path that start with a colon. */
  readonly params?: Readonly<Record<string, string>>;
  /** Parameters of the query. The query omits parameters that are empty or undefined. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request to a route. `Routes` maps each route to the type of its response, such as `'GET keys': KeyList`. */
export type Call<Routes> = <K extends keyof Routes & string>(route: K, options?: CallOptions) => Promise<Routes[K]>;

/**
 * Header of every request that changes something. Pages of other sites cannot send it, and so cannot forge such
 * requests.
 */
const CSRF_HEADER = { 'x-svc-asr-console': '1' };

/**
 * Creates a function that sends requests to the routes below `base`. `onSignedOut` is called for each response with one
 * of the codes in `signedOutCodes`.
 */
export function createCall<Routes>(
  base: string,
  onSignedOut: () => void = () => undefined,
  signedOutCodes: readonly string[] = ['not_signed_in'],
): Call<Routes> {
  return async <K extends keyof Routes & string>(route: K, options: CallOptions = {}) => {
    const [method = 'GET'] = route.split(' ');
    const { body } = options;
    const response = await fetch(`${base}/${pathOf(route, options)}`, {
      method,
      headers: {
        ...(method !== 'GET' && CSRF_HEADER),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch(() => {
      throw new RequestError(texts.general.unreachable, { code: 'unreachable' });
    });
    const answer = (await response.json().catch(() => ({}))) as Routes[K] & ErrorAnswer;
    if (response.ok) return answer;
    const error = errorOf(response.status, answer);
    if (signedOutCodes.includes(error.code)) onSignedOut();
    throw error;
  };
}

interface ErrorAnswer {
  readonly error?: { readonly message?: string; readonly code?: string; readonly request_id?: string };
}

/** Error codes that mean that a part of the service is unavailable. The page shows its own text for these errors. */
const UNAVAILABLE = ['service_unavailable', 'gateway_unavailable'];

function errorOf(status: number, { error = {} }: ErrorAnswer): RequestError {
  const isUnavailable = UNAVAILABLE.includes(error.code ?? '');
  const message = isUnavailable ? texts.general.unavailable : error.message;
  return new RequestError(message ?? texts.general.failed(status), {
    code: error.code ?? '',
    status,
    requestId: error.request_id,
  });
}

/** Returns the path of a route such as `DELETE keys/:id`, with its parameters and its query. */
export function pathOf(route: string, { params = {}, query = {} }: CallOptions): string {
  const [, pattern = ''] = route.split(' ');
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs).toString()}`;
}

/** Returns the message of an error for the user. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the error code of the API, or '' if the error does not come from a request. */
export function codeOf(error: unknown): string {
  return error instanceof RequestError ? error.code : '';
}
