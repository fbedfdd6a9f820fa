import { createPrivateKey } from 'node:crypto';
import { parseKeyring, parseTicketKey } from '@svc-asr/runtime';

const secret = (byte: number) => Buffer.alloc(32, byte).toString('base64');

/** Secrets of the targets. They are fixed, so that a run can be repeated. */
export const RING = parseKeyring(JSON.stringify({ current: 's2', secrets: { s1: secret(1), s2: secret(2) } }));

/** DER header of an Ed25519 private key in PKCS #8. The 32 bytes of the key follow. */
const PKCS8_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex');
const privateKey = createPrivateKey({
  key: Buffer.concat([PKCS8_HEADER, Buffer.alloc(32, 7)]),
  format: 'der',
  type: 'pkcs8',
});

/** Private key of tickets. */
export const TICKET_KEY = parseTicketKey(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
