import { SESSION_CREDENTIAL_PREFIX } from '@svc-asr/core';
import { readCredential, sessionCredential } from '../../../gateway/src/sessions/credential.ts';
import { check } from '../engine/target.ts';
import type { FuzzTarget } from '../engine/target.ts';
import { RING } from './fuzz-keys.ts';

const SESSION = { tenant: 'acme', sessionId: '0b7c5a0e-3f52-4d0c-9d5c-1a2b3c4d5e6f' };
const EXPIRES_AT_MS = 1_800_000_000_000;
const VALID = sessionCredential(RING, RING.current, SESSION, EXPIRES_AT_MS) ?? '';

/** Writes a credential with any claims, and reads it back. */
function writeAndRead(input: Buffer): void {
  const [secretId = '', tenant = '', expiry = ''] = input.toString('latin1').split(':');
  const subject = { tenant, sessionId: SESSION.sessionId };
  const written = sessionCredential(RING, secretId, subject, Number(expiry));
  if (written === undefined) return;
  const read = readCredential(RING, written, SESSION.sessionId);
  const isWritable = /^[a-z0-9-]{1,63}$/.test(tenant) && /^\d{1,15}$/.test(String(Number(expiry)));
  check((read !== undefined) === isWritable, `a credential with valid claims: ${isWritable}, was read: ${!isWritable}`);
  if (read === undefined) return;
  check(read.tenant === tenant && read.expiresAtMs === Number(expiry), 'a credential has other claims than written');
}

export const target: FuzzTarget = {
  property: 'readCredential never throws, accepts no changed credential, and returns what was written.',
  seeds: [`r${VALID}`, 'ws2:acme:1800000000000:', 'ws1:a:0:', `r${SESSION_CREDENTIAL_PREFIX}`],
  dictionary: [SESSION_CREDENTIAL_PREFIX, ':', 's1', 's2', 'acme', '=', '-', '_', '+', '/'],
  maxBytes: 512,
  run: (input) => {
    const rest = input.subarray(1);
    if (input[0] === 'w'.charCodeAt(0)) {
      writeAndRead(rest);
      return;
    }
    const read = readCredential(RING, rest.toString('latin1'), SESSION.sessionId);
    if (read === undefined) return;
    check(read.tenant === SESSION.tenant && read.expiresAtMs === EXPIRES_AT_MS, 'a credential was forged');
  },
};
