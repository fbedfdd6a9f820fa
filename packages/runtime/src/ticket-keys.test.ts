import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { createCertificate } from '../../../test/support/certificate.ts';
import { createTicketKeyPair } from '../../../test/support/ticket-keys.ts';
import { parseTicketKey, parseTicketPublicKeys } from './ticket-keys.ts';

const { privateKey, publicKey } = createTicketKeyPair();
/** Self-signed Ed25519 certificate that Helm generated. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBIjCB1aADAgECAhAMi4tsyB1PayNSUX8eHxEIMAUGAytlcDASMRAwDgYDVQQD
Ewd0aWNrZXRzMCAXDTI2MTExNjEwMjYxMVoYDzIxMjYxMDIzMTAyNjExWjASMRAw
DgYDVQQDEwd0aWNrZXRzMCowBQYDK2VwAyEANW24zQY+TqC/nwxy705ODSQKptBr
67sipUGExgqQdZCjPzA9MA4GA1UdDwEB/wQEAwIFoDAdBgNVHSUEFjAUBggrBgEF
BQcDAQYIKwYBBQUHAwIwDAYDVR0TAQH/BAIwADAFBgMrZXADQQBHLm9xmQaRqh02
Qvoy+CRmoN6kkIOyIKISB1W/8NwLQW7lmwpjg5SVsgVTpxPEFqikRRWrHwNLHGo5
TcFXztkC
-----END CERTIFICATE-----
`;

test('parseTicketPublicKeys and parseTicketKey return the same key id for the two halves of a key pair', () => {
  const { id } = parseTicketKey(privateKey);
  expect(id).toMatch(/^[\w-]{43}$/);
  expect([...parseTicketPublicKeys(publicKey).keys()]).toEqual([id]);
});

test('parseTicketPublicKeys reads public keys and certificates from one file, and ignores text around them', () => {
  const { publicKey: own } = new X509Certificate(CERTIFICATE);
  const keys = parseTicketPublicKeys(`# current\n${publicKey}# next\r\n${CERTIFICATE}`);
  expect(keys.size).toBe(2);
  expect([...keys.values()][1]?.equals(own)).toBe(true);
});

test('parseTicketPublicKeys refuses a file with a private key', () => {
  expect(() => parseTicketPublicKeys(publicKey + privateKey)).toThrow(
    'it contains a PRIVATE KEY. Workers may have only',
  );
});

test.each([
  ['', 'it contains no public key'],
  ['text', 'it contains no public key'],
  ['-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', 'it contains a malformed PUBLIC KEY'],
])('parseTicketPublicKeys refuses the file content %j', (text, message) => {
  expect(() => parseTicketPublicKeys(text)).toThrow(message);
});

test('parseTicketPublicKeys and parseTicketKey refuse keys that are not Ed25519 keys', async () => {
  const { cert, key } = await createCertificate();
  expect(() => parseTicketPublicKeys(cert)).toThrow('it contains a key of type ec. Use Ed25519');
  expect(() => parseTicketKey(key)).toThrow('it contains a key of type ec. Use Ed25519');
  const { privateKey: agreement } = generateKeyPairSync('x25519');
  expect(() => parseTicketKey(agreement.export({ type: 'pkcs8', format: 'pem' }).toString())).toThrow('type x25519');
});

test('parseTicketKey refuses a public key, and its error does not quote the key', () => {
  expect(() => parseTicketKey(publicKey)).toThrow(/^it is not a private key in PEM format$/);
});
