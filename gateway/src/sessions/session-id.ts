/** Pattern of the id of a session: a UUID as `randomUUID` writes it. */
export const SESSION_ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
