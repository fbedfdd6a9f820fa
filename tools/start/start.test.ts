import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseKeyring, parseTicketKey, parseTicketPublicKeys } from '@svc-asr/runtime';
import { root } from '../launch/terminal.mjs';
import { homeOf, createHome } from './home.ts';
import type { Home } from './home.ts';
import { keyIdOf } from './key.ts';
import { markStopped, readLocalJson, writeLocalJson } from './local-json.ts';
import { choosePorts, freePort, portFrom } from './ports.ts';
import { describeLostPeppers, ensureSecrets } from './secrets.ts';
import type { Plan } from './services.ts';
import { serviceEnvironment } from './services.ts';
import { buildWelcome, RECORDING } from './welcome.ts';

let home: Home;
beforeEach(() => {
  home = homeOf({ SVC_ASR_HOME: mkdtempSync(join(tmpdir(), 'svc-asr-home-')) });
  createHome(home);
});
afterEach(() => rmSync(home.path, { recursive: true }));

const mode = (path: string) => statSync(path).mode & 0o777;

test('createHome creates the folders of secrets, data, logs and worker state with access only for their owner', () => {
  const folders = [home.path, home.secrets, home.redis, home.logs, home.workers];
  expect(folders.map(mode)).toEqual(folders.map(() => 0o700));
});

test('createHome restricts a folder that an earlier version created for all users', () => {
  chmodSync(home.path, 0o755);
  createHome(home);
  expect(mode(home.path)).toBe(0o700);
});

test('createHome keeps the mode of a shared folder with the sticky bit', () => {
  chmodSync(home.path, 0o1777);
  createHome(home);
  expect(mode(home.path)).toBe(0o777);
});

test('ensureSecrets creates secrets only once, in the format that services read, in files that only the owner can read', () => {
  const files = ensureSecrets(home.secrets);
  const read = () => Object.values(files).map((file: string) => readFileSync(file, 'utf8'));
  const before = read();
  expect(parseKeyring(readFileSync(files.apiKeyPeppers, 'utf8')).current).toMatch(/^p-[0-9a-f]{8}$/);
  expect(parseKeyring(readFileSync(files.sessionSecrets, 'utf8')).current).toMatch(/^s-[0-9a-f]{8}$/);
  const { id } = parseTicketKey(readFileSync(files.workerTicketKey, 'utf8'));
  expect([...parseTicketPublicKeys(readFileSync(files.workerTicketPublicKeys, 'utf8')).keys()]).toEqual([id]);
  expect(readFileSync(files.adminToken, 'utf8').trim()).toMatch(/^[\w-]{43}$/);
  expect(Object.values(files).map(mode)).toEqual([0o600, 0o600, 0o600, 0o600, 0o600, 0o600]);
  ensureSecrets(home.secrets);
  expect(read()).toEqual(before);
  expect(new Set(before).size).toBe(6);
});

describe('describeLostPeppers', () => {
  const key = (name: string, text: string) => writeFileSync(join(home.config, name), text);

  test('returns undefined if the config folder contains no API keys', () => {
    key('tenant-a.yaml', 'kind: Tenant\n');
    expect(describeLostPeppers(home)).toBeUndefined();
  });

  test('reports missing peppers and the number of key files, and new peppers get a new id', () => {
    const idOf = () => parseKeyring(readFileSync(ensureSecrets(home.secrets).apiKeyPeppers, 'utf8')).current;
    const before = idOf();
    key('apikey-a.yaml', 'damaged');
    key('mine.json', '{"kind": "ApiKey"}');
    expect(describeLostPeppers(home)).toBeUndefined();
    const file = join(home.secrets, 'api-key-peppers.json');
    rmSync(file);
    expect(describeLostPeppers(home)).toContain(`${file} is missing, so existing API keys will not work`);
    expect(describeLostPeppers(home)).toContain('2 files');
    expect(idOf()).not.toBe(before);
  });
});

test('freePort returns 500 different ports in 500 calls, even though no program uses the returned ports yet', async () => {
  const ports = new Set<number>();
  for (let count = 0; count < 500; count++) ports.add(await freePort('127.0.0.1'));
  expect(ports.size).toBe(500);
});

describe('choosePorts', () => {
  test('chooses the same ports for Redis and the admin servers in each run', async () => {
    const first = await choosePorts(home, { PORT: '0' });
    const second = await choosePorts(home, { PORT: '0' });
    const kept = ({ redis, consoleAdmin, gatewayAdmin, operatorAdmin }: typeof first) => [
      redis,
      consoleAdmin,
      gatewayAdmin,
      operatorAdmin,
    ];
    expect(kept(second)).toEqual(kept(first));
    expect(new Set([...kept(first), first.gateway, first.console]).size).toBe(6);
  });

  test('rejects a port that is in use, and names the port and the setting to change', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      await expect(choosePorts(home, { PORT: String(port) })).rejects.toThrow(
        new RegExp(`port ${port} is in use. .* PORT=\\d+ npm start`),
      );
      await expect(choosePorts(home, { PORT: '0', CONSOLE_PORT: String(port) })).rejects.toThrow('CONSOLE_PORT=');
    } finally {
      server.close();
    }
  });

  test('uses the loopback address unless HOST is an IP address', async () => {
    expect((await choosePorts(home, { PORT: '0', HOST: 'my-machine' })).host).toBe('127.0.0.1');
    expect((await choosePorts(home, { PORT: '0', HOST: '0.0.0.0' })).host).toBe('0.0.0.0');
  });
});

test('portFrom rejects values that are not port numbers', () => {
  expect(portFrom({}, 'PORT')).toBeUndefined();
  expect(() => portFrom({ PORT: 'http' }, 'PORT')).toThrow('PORT=http is not a port. Use 0 to 65535');
  expect(() => portFrom({ PORT: '65536' }, 'PORT')).toThrow('is not a port');
});

describe('serviceEnvironment', () => {
  const plan = (): Plan => ({
    home,
    node: process.execPath,
    redisUrlFile: '/secrets/redis-url',
    secrets: {
      apiKeyPeppers: '/p',
      sessionSecrets: '/s',
      workerTicketKey: '/w.key',
      workerTicketPublicKeys: '/w.pem',
      adminToken: '/t',
      redisPassword: '/r',
    },
    tls: { caFile: '/ca', certFile: '/cert', keyFile: '/key' },
    ports: {
      host: '127.0.0.1',
      gateway: 8443,
      console: 8444,
      redis: 1,
      gatewayAdmin: 2,
      gatewayInternal: 7,
      consoleAdmin: 3,
      adminApi: 9,
      operatorAdmin: 4,
    },
  });

  test('passes on the settings given to npm start', () => {
    const env = serviceEnvironment('gateway', plan(), { SESSION_TTL_MS: '700', PUBLIC_URL: 'https://asr.example' });
    expect(env).toMatchObject({ SESSION_TTL_MS: '700', PUBLIC_URL: 'https://asr.example', TLS_CERT_FILE: '/cert' });
  });

  test('names the local CA in the examples of the gateway and the console', () => {
    for (const service of ['gateway', 'console'] as const) {
      expect(serviceEnvironment(service, plan(), {}).EXAMPLE_CA_FILE).toBe('/ca');
    }
  });

  test('prefers a secret from the environment to the file of the installation', () => {
    const env = serviceEnvironment('gateway', plan(), { API_KEY_PEPPERS: '{}' });
    expect(env.API_KEY_PEPPERS).toBe('{}');
    expect(env).not.toHaveProperty('API_KEY_PEPPERS_FILE');
  });

  test('gives the private ticket key to the gateway only, and the public ticket key to the workers of the operator', () => {
    const operator = serviceEnvironment('operator', plan(), {});
    expect(operator).toMatchObject({
      WORKER_PROGRAM: join(root, 'worker/dist/main.js'),
      MODEL_ROOT: root,
      WORKER_STATE_FOLDER: home.workers,
      WORKER_LOG_FOLDER: home.logs,
      WORKER_TICKET_PUBLIC_KEYS_FILE: '/w.pem',
    });
    expect(operator).not.toHaveProperty('WORKER_TICKET_KEY_FILE');
    expect(serviceEnvironment('gateway', plan(), {})).toMatchObject({ WORKER_TICKET_KEY_FILE: '/w.key' });
    expect(serviceEnvironment('console', plan(), {})).not.toHaveProperty('WORKER_TICKET_KEY_FILE');
  });

  test('overrides settings that the services cannot share', () => {
    const given = { ADMIN_PORT: '9', ADMIN_API_PORT: '8', ADMIN_HOST: '0.0.0.0', PORT: '0' };
    expect(serviceEnvironment('gateway', plan(), given)).toMatchObject({
      ADMIN_PORT: '2',
      ADMIN_HOST: '127.0.0.1',
      PORT: '8443',
    });
    expect(serviceEnvironment('console', plan(), given)).toMatchObject({
      ADMIN_PORT: '3',
      ADMIN_API_PORT: '9',
      CONSOLE_PORT: '8444',
    });
    expect(serviceEnvironment('operator', plan(), given)).toMatchObject({
      ADMIN_PORT: '4',
      CONFIG_FOLDERS: expect.stringMatching(/config\/local,.*config$/),
    });
  });
});

test('local.json is readable only by its owner, and markStopped removes the pid from the file', () => {
  writeLocalJson(home.localJson, { base_url: 'https://localhost:1', pid: 42 });
  expect(mode(home.localJson)).toBe(0o600);
  markStopped(home.localJson);
  expect(readLocalJson(home.localJson)).toEqual({ base_url: 'https://localhost:1' });
  writeFileSync(home.localJson, 'damaged');
  expect(readLocalJson(home.localJson)).toBeUndefined();
  markStopped(home.localJson);
  expect(readFileSync(home.localJson, 'utf8')).toBe('damaged');
});

test('keyIdOf returns the public part of a key', () => {
  expect(keyIdOf(`svc_live_v1_8fK2pQ9xLm_${'a'.repeat(38)}`)).toBe('8fK2pQ9xLm');
  expect(keyIdOf('something else')).toBe('');
});

const welcome = (homePath: string, workingFolder: string) =>
  buildWelcome(
    {
      home: homeOf({ SVC_ASR_HOME: homePath }),
      local: {
        base_url: 'https://localhost:8443',
        console_url: 'https://localhost:8444',
        admin_url: 'http://127.0.0.1:9000',
        console_admin_url: 'http://127.0.0.1:9003',
        gateway_admin_url: 'http://127.0.0.1:9001',
        operator_admin_url: 'http://127.0.0.1:9002',
        ca_file: '/my home/certs/ca.crt',
        api_key: 'svc_live_v1_x',
        admin_token: 'token',
        redis_url: 'redis://127.0.0.1:6379',
      },
      consoleLink: 'https://localhost:8444/#local.secret',
      adminTokenFile: join(homePath, 'secrets/admin-token'),
      observeUrl: undefined,
    },
    workingFolder,
    (strong) => strong,
  );

test('buildWelcome shows the address, the key and commands that can be pasted', () => {
  const text = welcome(join(root, '.svc-asr'), root);
  expect(text).toContain("curl --cacert '/my home/certs/ca.crt' https://localhost:8443/v1/models");
  expect(text).toContain("-H 'Authorization: Bearer svc_live_v1_x'");
  expect(text).toMatch(/Import '\/my home\/certs\/ca\.crt',\s+or open https:\/\/localhost:8443 once/);
  expect(text).toMatch(/Try it:\s+npx svc-asr transcribe --language ki worker\/models\/\S+\.wav\n/);
  expect(existsSync(RECORDING)).toBe(true);
  expect(text).toContain('state     .svc-asr\n');
  expect(text).toContain('console   https://localhost:8444/#local.secret\n');
  expect(text).toContain('(token in .svc-asr/secrets/admin-token)\n');
  expect(text).not.toContain('\u001b');
});

test('buildWelcome sets SVC_ASR_HOME in its commands unless the folder is the default one', () => {
  const usual = homeOf({}).path;
  expect(welcome(usual, dirname(usual))).toContain('\n  npx svc-asr usage\n');
  expect(welcome('/my home', '/repo')).toContain("\n  SVC_ASR_HOME='/my home' npx svc-asr usage\n");
  expect(welcome('/repo/state', '/repo')).toContain('\n  SVC_ASR_HOME=/repo/state npx svc-asr usage\n');
});
