import { createCookie } from '../http/cookie.ts';

/** Cookie that holds the session of the developers' page. */
export const SESSION_COOKIE = createCookie('svc_asr_console', 'Strict');
