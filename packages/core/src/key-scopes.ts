/** Scopes of API keys. Each gateway route that is called with a key requires one of these scopes. */
export const KEY_SCOPES = ['sessions:create', 'usage:read'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];
