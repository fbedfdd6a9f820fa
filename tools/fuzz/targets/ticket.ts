import { createPublicKey } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { signTicket, verifyTicket } from '@svc-asr/runtime';
import type { Ticket } from '@svc-asr/runtime';
import { check } from '../engine/target.ts';
import type { FuzzTarget } from '../engine/target.ts';
import { TICKET_KEY } from './fuzz-keys.ts';

const KEYS = new Map([[TICKET_KEY.id, createPublicKey(TICKET_KEY.privateKey)]]);
const TICKET: Ticket = { session: 's', model: 'm', worker: 'w', epoch: 1, expMs: 2000 };
const VALID = signTicket(TICKET_KEY, TICKET);
const MAX_CHARACTERS = 2048;

function read(text: string, { worker, model, expMs }: Ticket): Ticket | undefined {
  return verifyTicket(KEYS, text, { worker, model, nowMs: expMs - 1 });
}

/** Signs a ticket with any text in its fields, and verifies it. */
function signAndVerify(input: Buffer): void {
  const [session = '', model = '', worker = '', epoch = ''] = input.toString().split('|');
  const ticket = { session, model, worker, epoch: Number(epoch) || 0, expMs: 1 };
  const text = signTicket(TICKET_KEY, ticket);
  const verified = read(text, ticket);
  // JSON has no infinite numbers.
  const isValid = text.length <= MAX_CHARACTERS && Number.isFinite(ticket.epoch);
  check((verified !== undefined) === isValid, `the ticket is valid: ${isValid}`);
  if (verified === undefined) return;
  const { session: a, model: b, worker: c, epoch: d, expMs: e } = verified;
  // JSON writes -0 as 0.
  check(isDeepStrictEqual([a, b, c, d, e], [session, model, worker, ticket.epoch + 0, 1]), 'a ticket was changed');
}

export const target: FuzzTarget = {
  property: 'verifyTicket never throws, accepts no changed ticket, and returns what was signed.',
  seeds: [`r${VALID}`, 's0b7c|svc-asr-kikuyu-v1|worker-1|7', 'r.', 's|||'],
  dictionary: ['.', '|', TICKET_KEY.id, '{"v":2,"kid":"', 'eyJ2IjoyLCJraWQiOiI', 'bnVsbA'],
  maxBytes: 3000,
  run: (input) => {
    const rest = input.subarray(1);
    if (input[0] === 's'.charCodeAt(0)) {
      signAndVerify(rest);
      return;
    }
    const ticket = read(rest.toString('latin1'), TICKET);
    check(ticket === undefined || ticket.session === TICKET.session, 'a ticket was forged');
  },
};
