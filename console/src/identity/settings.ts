import { list, text } from '@svc-asr/runtime';
import type { Setting } from '@svc-asr/runtime';

/** Host names of this machine. Only these may be reached without TLS. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Defines a setting whose value is an absolute URL with https://, or with http:// for this machine. Empty if not set.
 */
function secureUrl(description: string, clean: (value: string) => string = (value) => value): Setting<string> {
  return {
    description,
    fallback: '',
    read: (value) => {
      if (value === '') return '';
      const url = URL.canParse(value) ? new URL(value) : undefined;
      const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.includes(url.hostname));
      if (!isSafe)
        throw new Error('is not a URL that starts with https://, or with http:// and a name of this machine');
      return clean(value);
    },
  };
}

const withoutEndingSlash = (value: string) => value.replace(/\/+$/, '');

/** Roles of administrators who sign in with OpenID Connect. An auditor can only read. */
export type AdminRole = 'administrator' | 'auditor';

const adminGroups: Setting<ReadonlyMap<string, AdminRole>> = {
  description:
    'Groups of the OpenID provider whose members may sign in on the admin API port, as GROUP=administrator or GROUP=auditor, separated by commas. An auditor can only read.',
  fallback: '',
  read: (value) => new Map(list('').read(value).map(parseGroup)),
};

function parseGroup(item: string): [group: string, role: AdminRole] {
  // The name of a group may contain an equals sign.
  const at = item.lastIndexOf('=');
  const [group, role] = [item.slice(0, Math.max(at, 0)), item.slice(at + 1)];
  if (group === '' || (role !== 'administrator' && role !== 'auditor')) {
    throw new Error(`"${item}" is not GROUP=administrator or GROUP=auditor`);
  }
  return [group, role];
}

/** Settings of sign-in with OpenID Connect. */
export const IDENTITY_SETTINGS = {
  CONSOLE_URL: secureUrl(
    "Public URL of the console's page, without a path. Sign-in with OpenID Connect and mail need it.",
    withoutEndingSlash,
  ),
  ADMIN_CONSOLE_URL: secureUrl(
    'URL at which administrators open the page of the admin API port. Their sign-in with OpenID Connect needs it.',
    withoutEndingSlash,
  ),
  OIDC_ISSUER: secureUrl(
    'Issuer URL of the OpenID provider, exactly as in its discovery document. If empty, there is no sign-in with OpenID Connect.',
  ),
  OIDC_CLIENT_ID: text('Client id of the console at the OpenID provider.', ''),
  OIDC_CLIENT_SECRET: text('Client secret of the console. Empty for a public client.', '', { secret: true }),
  OIDC_SCOPES: text('Scopes that a sign-in requests, separated by spaces. openid is required.', 'openid profile email'),
  OIDC_GROUPS_CLAIM: text('Claim with the groups of an administrator, in the ID token or from userinfo.', 'groups'),
  OIDC_ADMIN_GROUPS: adminGroups,
} as const;
