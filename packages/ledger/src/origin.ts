/** The request that created a session. */
export interface SessionOrigin {
  /** Id of the API key with which the request was sent. Null if the console created the session for its playground. */
  keyId: string | null;
  /** Id of the request, a UUID. */
  requestId: string;
}

/** Origin of a stored session. For sessions that earlier versions stored, key and request are unknown. */
export interface StoredOrigin {
  source: 'api' | 'playground';
  keyId: string | null;
  requestId: string | null;
}

/** Value that replaces the key id of playground sessions. No API key can have this id. */
export const PLAYGROUND_KEY = '-';
const UNKNOWN: StoredOrigin = { source: 'api', keyId: null, requestId: null };

/**
 * Formats an origin as `KEY|REQUEST`. The UUID of the request is encoded in base64url, which takes 22 characters
 * instead of 36.
 */
export function originText({ keyId, requestId }: SessionOrigin): string {
  const bytes = Buffer.from(requestId.replaceAll('-', ''), 'hex');
  return `${keyId ?? PLAYGROUND_KEY}|${bytes.toString('base64url')}`;
}

/** Parses an origin. If the text is missing or empty, the key and the request are unknown. */
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
