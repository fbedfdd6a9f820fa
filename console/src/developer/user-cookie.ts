import { NAME_PATTERN } from '../resources/object.ts';

/** Content of the cookie of a user who signed in with OpenID Connect. */
export interface UserCookie {
  /** Token of the session. It authenticates the user. */
  readonly token: string;
  /**
   * Tenant that the user selected, or empty. It is not signed, because the Member of the user is checked for each
   * request.
   */
  readonly tenant: string;
}

const COOKIE = new RegExp(String.raw`^oidc\.([0-9a-f]{40}\.[0-9a-f]{16}\.[\w-]{32})\.((?:${NAME_PATTERN})?)$`);

/** Returns the cookie value. */
export function writeUserCookie({ token, tenant }: UserCookie): string {
  return `oidc.${token}.${tenant}`;
}

/** Reads a cookie value. Undefined if it has another form, such as that of a private link. */
export function readUserCookie(text: string): UserCookie | undefined {
  const [, token, tenant = ''] = COOKIE.exec(text) ?? [];
  return token === undefined ? undefined : { token, tenant };
}
