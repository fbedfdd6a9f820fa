/** Pattern of a session id, which is a UUID in the format of `randomUUID`. */
export const SESSION_ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
