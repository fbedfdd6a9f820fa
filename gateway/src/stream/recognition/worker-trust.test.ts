import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PeerCertificate } from 'node:tls';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { createWorkerTrust } from './worker-trust.ts';

const caFile = join(temporaryFolder('trust'), 'ca.crt');
writeFileSync(caFile, 'first');
const trust = createWorkerTrust({ caFile, serverName: 'workers.internal' });
const plain = createWorkerTrust({ caFile: '', serverName: 'workers.internal' });

const tlsOf = (model: string) => {
  const checked = trust.check(model, 'wss://10.0.0.1:8443');
  if ('refusal' in checked) throw new Error(checked.refusal);
  return checked.tls;
};

test.each(['ws://10.0.0.1:8443', 'http://10.0.0.1', 'ws+unix:///run/redis.sock', 'wss://10.0.0.1#x', '10.0.0.1', ''])(
  'a gateway with a CA file refuses the worker address %j',
  (address) => {
    expect(trust.check('m', address)).toEqual({
      refusal: `the worker registered the address ${address}, which is not of the form wss://HOST:PORT`,
    });
  },
);

test('a gateway without a CA file accepts ws:// and wss:// addresses of workers, and refuses all other addresses', () => {
  expect(plain.check('m', 'ws://10.0.0.1:8443')).toEqual({ tls: {} });
  expect(plain.check('m', 'wss://worker.example')).toEqual({ tls: {} });
  expect(plain.check('m', 'ws+unix:///run/redis.sock')).toHaveProperty('refusal');
});

test('a gateway with a CA file accepts a worker only if the certificate of the worker names the model of the stream', () => {
  const { servername, checkServerIdentity } = tlsOf('b');
  expect(servername).toBe('b.workers.internal');
  const check = (subjectaltname: string) =>
    checkServerIdentity?.('b.workers.internal', { subject: {}, subjectaltname } as PeerCertificate)?.message;
  expect(check('DNS:b.workers.internal, DNS:workers.internal')).toBeUndefined();
  expect(check('DNS:a.workers.internal, DNS:workers.internal')).toBe(
    'the certificate of the worker is for DNS:a.workers.internal, DNS:workers.internal, not for b.workers.internal',
  );
});

test('a renewed CA file applies to the next connection to a worker', () => {
  expect(tlsOf('m').ca).toEqual(Buffer.from('first'));
  writeFileSync(caFile, 'second');
  expect(tlsOf('m').ca).toEqual(Buffer.from('second'));
});
