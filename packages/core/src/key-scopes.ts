/** Scopes of API keys. Each route of the gateway that takes a key needs one of them. */
export const KEY_SCOPES = ['sessions:create', 'usage:read'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];
