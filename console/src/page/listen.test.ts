import { createLogger } from '@svc-asr/runtime';
import { startPage } from './listen.ts';

const logger = createLogger('console', 'silent');

const app = () => undefined;
const plain = { CONSOLE_HOST: '127.0.0.1', CONSOLE_PORT: 0, TLS_CERT_FILE: '', TLS_KEY_FILE: '' };

test('startPage fails if only one of TLS_CERT_FILE and TLS_KEY_FILE is set', async () => {
  for (const half of [{ TLS_CERT_FILE: 'x.pem' }, { TLS_KEY_FILE: 'x.pem' }]) {
    await expect(startPage({ ...plain, ...half }, app, logger)).rejects.toThrow(
      'set both TLS_CERT_FILE and TLS_KEY_FILE',
    );
  }
});

test('startPage fails if the port is in use', async () => {
  const server = await startPage(plain, app, logger);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await expect(startPage({ ...plain, CONSOLE_PORT: port }, app, logger)).rejects.toThrow('EADDRINUSE');
  server.close();
});
