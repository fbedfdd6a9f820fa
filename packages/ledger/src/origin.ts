/** Request that created a session. */
export interface SessionOrigin {
  /** Id of the API key. Null if the console created the session for its playground. */
  keyId: string | null;
  /** Id of the request, a UUID. */
  requestId: string;
}

/** Origin of a stored session. Sessions of earlier versions have none. */
export interface StoredOrigin {
  source: 'api' | 'playground';
  keyId: string | null;
  requestId: string | null;
}

/** Stands for the key of playground sessions. No id of an API key has this form. */
export const PLAYGROUND_KEY = '-';
const UNKNOWN: StoredOrigin = { source: 'api', keyId: null, requestId: null };

/** Returns `KEY|REQUEST`, in which the UUID of the request has 22 characters instead of 36. */
export function originText({ keyId, requestId }: SessionOrigin): string {
  const bytes = Buffer.from(requestId.replaceAll('-', ''), 'hex');
  return `${keyId ?? PLAYGROUND_KEY}|${bytes.toString('base64url')}`;
}

/** Parses the text of an origin. */
export function readOrigin(text: string | undefined): StoredOrigin {
  const [key = '', request = ''] = text?.split('|') ?? [];
  if (key === '') return UNKNOWN;
  const isPlayground = key === PLAYGROUND_KEY;
  return {
    source: isPlayground ? 'playground' : 'api',
    keyId: isPlayground ? null : key,
    requestId: uuidOf(request),
  };
}

function uuidOf(text: string): string | null {
  const hex = Buffer.from(text, 'base64url').toString('hex');
  const parts = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(hex);
  return parts === null ? null : parts.slice(1).join('-');
}
