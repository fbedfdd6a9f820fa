/** Response bodies about the signed-in user and the team of a tenant. */

/** Role of a signed-in user in a tenant. A private link signs in as owner. */
export type Role = 'owner' | 'developer' | 'viewer';

/** A tenant of the signed-in user. */
export interface MembershipView {
  readonly tenant: string;
  readonly display_name: string;
  readonly role: Role;
}

/** The session of the browser. */
export interface ConsoleSessionView {
  readonly object: 'console_session';
  /** Null for a user who is not a member of any tenant, or was removed from the selected one. */
  readonly tenant: string | null;
  readonly role: Role | null;
  readonly signed_in_by: 'link' | 'oidc';
  /** Null if the browser is signed in with a private link. */
  readonly person: { readonly name: string | null; readonly email: string | null } | null;
  /** Tenants that the user can select. */
  readonly tenants: readonly MembershipView[];
  readonly expires_at: string;
  /** True if sign-in with OpenID Connect is available. */
  readonly oidc: boolean;
}

/** How a browser can sign in. */
export interface SignInMethodsView {
  readonly object: 'sign_in_methods';
  readonly link: true;
  readonly oidc: boolean;
}

/** A member of the tenant, or a pending invitation. */
export interface MemberView {
  readonly object: 'member';
  readonly id: string;
  readonly role: Role;
  readonly name: string | null;
  readonly email: string | null;
  /** True for the signed-in user. */
  readonly is_you: boolean;
  readonly created_at: string | null;
  /** Null for a member. */
  readonly invitation: { readonly invited_by: string; readonly expires_at: string } | null;
}

/** A new invitation, in the only response that contains its link. */
export interface InvitationView extends MemberView {
  readonly token: string;
  /** Path of the console with the token in its fragment, which browsers do not send to servers. */
  readonly path: string;
  /** True if the link was also sent by mail. */
  readonly mailed: boolean;
}

/** What an invitation offers, for the holder of its link. */
export interface InvitationPreview {
  readonly object: 'invitation';
  /** Display name of the tenant. */
  readonly tenant: string;
  readonly invited_by: string;
  readonly role: Role;
  readonly expires_at: string;
}

/** How an administrator can sign in. */
export interface AdminSignInMethodsView {
  readonly object: 'sign_in_methods';
  readonly token: true;
  readonly oidc: boolean;
}

/** Whether the applicant got a mail about a decision. Part of the responses to an approval and a decline. */
export interface DecisionMailView {
  readonly mailed: boolean;
  /** Address of the console, which the administrator can send if there was no mail. Null if CONSOLE_URL is not set. */
  readonly link_to_send: string | null;
}
