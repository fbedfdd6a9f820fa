import Type from 'typebox';
import type { Static } from 'typebox';
import { conditions, count, observedGeneration } from './condition.ts';
import { moment } from './time.ts';

const display = (what: string, example: string) =>
  Type.Optional(Type.String({ maxLength: 32, description: `${what}, as people read it, such as ${example}.` }));

const credits = Type.Object(
  {
    availableMs: count('Audio that can be reserved, in milliseconds.'),
    reservedMs: count('Audio that sessions hold, in milliseconds.'),
    consumedMs: count('Audio that was charged, in milliseconds.'),
    checkpointAt: moment('When the three were read, at one instant.'),
    available: display('availableMs', '58m32s'),
    reserved: display('reservedMs', '1m'),
    consumed: display('consumedMs', '28s'),
  },
  { description: 'The balance as it was lately: a checkpoint, written at most once a minute.' },
);

/** What the operator has seen of a tenant. */
export const TenantStatus = Type.Object(
  {
    observedGeneration,
    credits: Type.Optional(credits),
    ledgerId: Type.Optional(
      Type.String({ maxLength: 128, description: 'The ledger that holds the account; another one is not written to.' }),
    ),
    liveSessions: Type.Optional(count('Sessions that are reserved or active.')),
    conditions: conditions('Ready, LedgerMissing.'),
  },
  { description: 'What the operator has seen.' },
);
export type TenantStatus = Static<typeof TenantStatus>;
