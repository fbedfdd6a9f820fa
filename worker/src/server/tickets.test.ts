import { parseKeyring, signTicket } from '@svc-asr/runtime';
import { createTicketGate } from './tickets.ts';

const ring = parseKeyring(JSON.stringify({ current: 'w1', secrets: { w1: Buffer.alloc(32, 1).toString('base64') } }));
const bearer = (session: string, epoch: number, expMs = 2000) =>
  `Bearer ${signTicket(ring, { session, worker: 'me', epoch, expMs })}`;

test('TicketGate admits a ticket once, and the next epoch of its session once', () => {
  const gate = createTicketGate(ring, 'me');
  expect(gate.admit(bearer('s', 1), 1000)).toMatchObject({ session: 's', epoch: 1 });
  expect(gate.admit(bearer('s', 1), 1000)).toBeUndefined();
  expect(gate.admit(bearer('s', 1, 3000), 1000)).toBeUndefined();
  expect(gate.admit(bearer('s', 2), 1000)).toBeDefined();
});

test('TicketGate refuses a header that is not a bearer ticket', () => {
  const gate = createTicketGate(ring, 'me');
  const ticket = bearer('s', 1).slice('Bearer '.length);
  for (const header of [undefined, '', ticket, `Basic ${ticket}`, `Bearer ${ticket} x`, 'Bearer x.y']) {
    expect(gate.admit(header, 1000)).toBeUndefined();
  }
});

test('TicketGate removes used tickets after they have expired', () => {
  const gate = createTicketGate(ring, 'me');
  for (let epoch = 0; epoch < 5; epoch++) gate.admit(bearer('s', epoch), 1000);
  expect(gate.size).toBe(5);
  gate.admit(bearer('s', 9, 9000), 2000);
  expect(gate.size).toBe(1);
});
