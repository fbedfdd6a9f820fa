import { parseTicketKey, parseTicketPublicKeys, signTicket } from '@svc-asr/runtime';
import { createTicketKeyPair } from '../../../test/support/ticket-keys.ts';
import { createTicketGate } from './tickets.ts';
import type { TicketGate } from './tickets.ts';
import { createUsedTickets, UsedTickets } from './used-tickets.ts';

const [pair, next] = [createTicketKeyPair(), createTicketKeyPair()];
const key = parseTicketKey(pair.privateKey);
const ticketFor = (session: string, epoch: number, expMs = 2000, signer = key) =>
  signTicket(signer, { session, model: 'm', worker: 'me', epoch, expMs });
const create = () => createTicketGate({ current: parseTicketPublicKeys(pair.publicKey) }, { worker: 'me', model: 'm' });

test('TicketGate admits only one ticket for each epoch of a session, and then a ticket for the next epoch', () => {
  const gate = create();
  expect(gate.admit(ticketFor('s', 1), 1000)).toMatchObject({ session: 's', epoch: 1 });
  expect(gate.admit(ticketFor('s', 1), 1000)).toBeUndefined();
  expect(gate.admit(ticketFor('s', 1, 3000), 1000)).toBeUndefined();
  expect(gate.admit(ticketFor('s', 2), 1000)).toBeDefined();
});

test('TicketGate refuses a second ticket for the same epoch of a session, even if another key signed it', () => {
  const keys = parseTicketPublicKeys(pair.publicKey + next.publicKey);
  const gate = createTicketGate({ current: keys }, { worker: 'me', model: 'm' });
  expect(gate.admit(ticketFor('s', 1), 1000)).toBeDefined();
  expect(gate.admit(ticketFor('s', 1, 2000, parseTicketKey(next.privateKey)), 1000)).toBeUndefined();
});

test('TicketGate uses the current keys of its file', () => {
  const keys = { current: parseTicketPublicKeys(pair.publicKey) };
  const gate = createTicketGate(keys, { worker: 'me', model: 'm' });
  const renewed = (epoch: number) => ticketFor('s', epoch, 2000, parseTicketKey(next.privateKey));
  expect(gate.admit(renewed(1), 1000)).toBeUndefined();
  keys.current = parseTicketPublicKeys(pair.publicKey + next.publicKey);
  expect(gate.admit(renewed(1), 1000)).toBeDefined();
  expect(gate.admit(ticketFor('s', 2), 1000)).toBeDefined();
  keys.current = parseTicketPublicKeys(next.publicKey);
  expect(gate.admit(ticketFor('s', 3), 1000)).toBeUndefined();
  expect(gate.admit(renewed(3), 1000)).toBeDefined();
});

test('TicketGate refuses a text that is not a ticket', () => {
  const gate = create();
  const ticket = ticketFor('s', 1);
  for (const text of ['', 'x', 'x.y', `${ticket} x`, `Bearer ${ticket}`])
    expect(gate.admit(text, 1000)).toBeUndefined();
});

test('TicketGate admits a ticket only once if gates of several threads share the memory of used tickets', () => {
  const memory = createUsedTickets();
  const keys = { current: parseTicketPublicKeys(pair.publicKey) };
  const [one, other] = [0, 1].map(() =>
    createTicketGate(keys, { worker: 'me', model: 'm' }, new UsedTickets(memory)),
  ) as [TicketGate, TicketGate];
  expect(one.admit(ticketFor('s', 1), 1000)).toBeDefined();
  expect(other.admit(ticketFor('s', 1), 1000)).toBeUndefined();
  expect(other.admit(ticketFor('s', 2), 1000)).toBeDefined();
});
