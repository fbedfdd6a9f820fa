import Type from 'typebox';
import type { Static } from 'typebox';
import { conditions, count, observedGeneration } from './condition.ts';
import { mapBy } from './extensions.ts';
import { moment } from './time.ts';

const display = (what: string, example: string) =>
  Type.Optional(Type.String({ maxLength: 32, description: `${what} for display, such as ${example}.` }));

const budget = Type.Object(
  {
    month: Type.String({
      pattern: '^\\d{4}-\\d{2}$',
      maxLength: 7,
      description: 'Month of the last renewal, in UTC.',
    }),
    remainingMs: count('Part of the budget that was not charged, in milliseconds of audio. Sessions may reserve it.'),
    usedMs: count('Credit charged to the budget of the month, in milliseconds of audio.'),
    grantedMs: count('Credit that all months have granted, less what expired, in milliseconds of audio.'),
    renewsAt: Type.Optional(moment('Time of the next renewal. Absent if the budget was removed.')),
    remaining: display('remainingMs', '9h58m'),
  },
  { description: 'Monthly budget. Absent if the tenant never had one.' },
);

const credits = Type.Object(
  {
    availableMs: count('Available credit, in milliseconds of audio.'),
    reservedMs: count('Credit reserved by sessions, in milliseconds of audio.'),
    consumedMs: count('Credit charged, in milliseconds of audio.'),
    checkpointAt: moment('Time at which the three values were read.'),
    limitedCorrections: Type.Optional(
      Type.Array(
        Type.Object({
          id: Type.String({ maxLength: 63, description: 'Id of the grant.' }),
          appliedMs: Type.Integer({ description: 'Change of the credit, in milliseconds of audio.' }),
        }),
        {
          maxItems: 1000,
          description: 'Negative grants that removed less than specified, because less credit was available.',
          ...mapBy('id'),
        },
      ),
    ),
    budget: Type.Optional(budget),
    available: display('availableMs', '58m32s'),
    reserved: display('reservedMs', '1m'),
    consumed: display('consumedMs', '28s'),
  },
  { description: 'Balance at the last checkpoint, which is written at most once a minute.' },
);

/** Status of a tenant, written by the operator. */
export const TenantStatus = Type.Object(
  {
    observedGeneration,
    credits: Type.Optional(credits),
    ledgerId: Type.Optional(
      Type.String({
        maxLength: 128,
        description: 'Id of the ledger that contains the account. The operator writes to no other ledger.',
      }),
    ),
    liveSessions: Type.Optional(count('Number of reserved or active sessions.')),
    conditions: conditions('Conditions of the tenant. Types: Ready, LedgerMissing, UnknownModels.'),
  },
  { description: 'Observed state of the tenant.' },
);
export type TenantStatus = Static<typeof TenantStatus>;
