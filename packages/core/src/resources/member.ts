import Type from 'typebox';
import type { Static } from 'typebox';
import { rules } from './extensions.ts';
import { API_VERSION, closed, Metadata, NAME_RULE, nameOf } from './metadata.ts';
import { moment } from './time.ts';

/** Roles of the members of a tenant, the one with the most rights first. */
export const MEMBER_ROLES = ['owner', 'developer', 'viewer'] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** Schema of a role. Used by the resource and by requests that change a role. */
export const MemberRoleSchema = Type.Enum([...MEMBER_ROLES], {
  description:
    'Rights of the member. A viewer reads. A developer also manages keys and uses the playground. An owner also manages members and the private link.',
});

const Invitation = closed(
  {
    hash: Type.String({
      pattern: '^[0-9a-f]{64}$',
      maxLength: 64,
      description: 'HMAC-SHA-256 of the token in the invitation link.',
    }),
    pepperId: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,32}$',
      maxLength: 32,
      description: 'Id of the pepper that the token is hashed with.',
    }),
    expiresAt: moment('Time at which the invitation expires.'),
    invitedBy: Type.String({ maxLength: 400, description: 'Name to show for the sender of the invitation.' }),
    inviter: Type.Optional(
      nameOf(
        'Member that created the invitation. The invitation is refused when that member is removed or has a lower role than the invitation offers.',
      ),
    ),
  },
  { description: 'Invitation that was not accepted yet. Accepting it sets issuer and subject.' },
);

export const MemberSpec = closed(
  {
    tenant: nameOf('Name of the Tenant that the member belongs to.'),
    role: MemberRoleSchema,
    issuer: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\x00-\\x20?#]+$',
        maxLength: 2048,
        description: 'Issuer URL of the OpenID provider, as in its ID tokens.',
      }),
    ),
    subject: Type.Optional(
      Type.String({
        pattern: '^[^\\x00-\\x1f\\x7f]+$',
        maxLength: 255,
        description: 'Subject (sub) of the user at the issuer. An e-mail address is not an identity.',
      }),
    ),
    name: Type.Optional(Type.String({ maxLength: 200, description: 'Name of the user at the last sign-in.' })),
    email: Type.Optional(
      Type.String({ maxLength: 320, description: 'E-mail address for display and for mail. It gives no rights.' }),
    ),
    invitation: Type.Optional(Invitation),
  },
  {
    description: 'Desired state of the member.',
    ...rules(
      {
        rule: 'has(self.issuer) == has(self.subject)',
        message: 'issuer and subject identify the member together: set both, or neither with an invitation',
      },
      {
        rule: 'has(self.issuer) != has(self.invitation)',
        message: 'a member has either issuer and subject or a pending invitation: keep one of them',
      },
      {
        rule: 'self.tenant == oldSelf.tenant',
        message: 'tenant cannot be changed: create another member and delete this one',
        fieldPath: '.tenant',
      },
      {
        rule: '!has(oldSelf.issuer) || (has(self.issuer) && self.issuer == oldSelf.issuer && self.subject == oldSelf.subject)',
        message: 'issuer and subject cannot be changed: create another member and delete this one',
      },
    ),
  },
);

export const Member = Type.Object(
  {
    apiVersion: Type.Literal(API_VERSION),
    kind: Type.Literal('Member'),
    metadata: Metadata,
    spec: MemberSpec,
  },
  {
    description: 'A user of the console who belongs to a tenant, or a pending invitation to it.',
    ...rules(NAME_RULE),
  },
);
export type Member = Static<typeof Member>;
