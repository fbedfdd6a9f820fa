import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { parseKeyring } from '@svc-asr/runtime';
import { root } from '../launch/terminal.mjs';
import { CHART_FOLDER } from './place.ts';
import { isDecided, SERVICES, variablesOf } from './service-settings.ts';
import type { ServiceName } from './service-settings.ts';
import { helm, runTool } from './testing/helm.ts';
import { find, podsOf, render } from './testing/render.ts';
import type { ChartObject } from './testing/render.ts';

/** Each run of helm takes a second, and far longer on a machine that does much else. */
const WITHIN_MS = 120_000;

async function refusal(values: object): Promise<string> {
  return render(values).then(
    () => 'not refused',
    (error: unknown) => String(error),
  );
}

const secretText = (object: ChartObject, key: string) => (object.stringData as Record<string, string>)[key] ?? '';

test(
  'helm finds nothing wrong with the chart',
  async () => {
    expect(await helm(['lint', '--strict', CHART_FOLDER])).toContain('0 chart(s) failed');
  },
  WITHIN_MS,
);

test(
  'the suites of helm-unittest pass',
  async () => {
    const { status, stdout, stderr } = await runTool('helm-unittest', ['--color=false', CHART_FOLDER]);
    expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/Tests:\s+[1-9]\d* passed, [1-9]\d* total/);
  },
  WITHIN_MS,
);

test.each([
  ['a typo at the top', { gatway: {} }, 'gatway'],
  ['a typo inside', { gateway: { replica: 3 } }, 'replica'],
  ['a typo in a group of a group', { redis: { persistence: { sise: '1Gi' } } }, 'sise'],
  ['a wrong type', { gateway: { replicas: 'two' } }, 'got string, want integer'],
  ['a word that is no choice', { tls: { mode: 'magic' } }, 'value must be one of'],
  ['a setting that no service knows', { gateway: { settings: { STREAM_IDEL_MS: 1 } } }, 'STREAM_IDEL_MS'],
  ['a setting that the chart decides', { gateway: { settings: { PUBLIC_URL: 'x' } } }, 'PUBLIC_URL'],
  ['a secret as a setting', { operator: { settings: { REDIS_URL: 'x' } } }, 'REDIS_URL'],
  ['no Redis', { redis: { enabled: false } }, 'set redis.existingSecret'],
  ['two Redis', { redis: { external: { url: 'redis://x' } } }, 'set redis.enabled to false'],
  ['users without their file', { redis: { existingSecret: 'x' } }, 'set redis.aclExistingSecret'],
  ['a user without their file', { redis: { existingSecrets: { gateway: 'x' } } }, 'set redis.aclExistingSecret'],
  ['a collector that is no address', { telemetry: { otlpEndpoint: 'collector:4318' } }, 'otlpEndpoint'],
  ['a certificate without its Secret', { tls: { mode: 'existingSecret' } }, 'set tls.existingSecret'],
  ['a Certificate without issuer', { tls: { mode: 'certManager' } }, 'issuerRef.name'],
  ['workers without a name', { workerTls: { existingSecret: 'x' } }, 'set workerTls.serverName'],
  [
    'a route to nowhere',
    { publicUrl: 'https://asr.example.com', gateway: { httpRoute: { enabled: true } } },
    'parentRefs',
  ],
  ['an Ingress whose address nobody knows', { gateway: { ingress: { enabled: true } } }, 'set publicUrl'],
  ['http where TLS is', { publicUrl: 'http://asr.example.com' }, 'tls.mode'],
])(
  '%s is refused, with what to do',
  async (_case, values, message) => {
    expect(await refusal(values)).toContain(message);
  },
  WITHIN_MS,
);

test(
  'every variable that the chart sets is a setting that the service knows',
  async () => {
    const objects = await render({
      redis: { caSecret: 'redis-ca' },
      gateway: { settings: { LOG_LEVEL: 'debug' } },
      telemetry: { otlpEndpoint: 'http://collector:4318' },
    });
    const deployments = podsOf(objects).filter(([name]) => name.startsWith('Deployment '));
    expect(deployments.map(([name]) => name.replace('Deployment svc-asr-', '')).sort()).toEqual(
      Object.keys(SERVICES).sort(),
    );
    for (const [, { spec }] of deployments) {
      const [container] = spec.containers;
      const service = container!.name as ServiceName;
      // Node reads the one, the command `svc-asr` those that bear its name.
      const names = (container!.env ?? [])
        .map(({ name }) => name)
        .filter((name) => name !== 'NODE_EXTRA_CA_CERTS' && !name.startsWith('SVC_ASR_'));
      const known = variablesOf(service);
      expect(names.filter((name) => !known.has(name))).toEqual([]);
      expect(names.filter((name) => !isDecided(service, name))).toEqual(
        { gateway: ['LOG_LEVEL'], operator: [], console: ['ADMIN_HOST'] }[service],
      );
    }
  },
  WITHIN_MS,
);

test(
  'what the chart sets is what the services can read, and they are given the time to stop that they take',
  async () => {
    const objects = await render({
      redis: { enabled: false, external: { url: 'redis://redis.example:6380', ports: [6380, 6381] } },
      telemetry: { otlpEndpoint: 'http://collector:4318' },
    });
    for (const [, { spec }] of podsOf(objects).filter(([name]) => name.startsWith('Deployment '))) {
      const [container] = spec.containers;
      const service = container!.name as ServiceName;
      const graceMs = Number(SERVICES[service].STOP_GRACE_MS.fallback);
      expect(Number(spec.terminationGracePeriodSeconds) * 1000).toBeGreaterThan(graceMs);
      const settings: Readonly<Record<string, { read: (text: string) => unknown }>> = SERVICES[service];
      for (const { name, value = '' } of container!.env ?? []) {
        // Files are there in a pod alone.
        if (name in settings && !name.endsWith('_FILE')) expect(() => settings[name]!.read(value)).not.toThrow();
      }
    }
  },
  WITHIN_MS,
);

test(
  'definitions are rendered as they are, and stay',
  async () => {
    const rendered = (await render()).filter(({ kind }) => kind === 'CustomResourceDefinition');
    expect(rendered).toHaveLength(3);
    for (const { metadata, spec } of rendered) {
      const file = join(root, 'crds', `${metadata.name.split('.')[0]}.yaml`);
      expect(spec).toEqual((parse(readFileSync(file, 'utf8')) as ChartObject).spec);
      expect(metadata.annotations).toMatchObject({ 'helm.sh/resource-policy': 'keep' });
    }
    expect((await render({ crds: { install: false } })).map(({ kind }) => kind)).not.toContain(
      'CustomResourceDefinition',
    );
  },
  WITHIN_MS,
);

test(
  'generated secrets have the form that services read',
  async () => {
    const objects = await render();
    for (const [name, key] of [
      ['api-key-peppers', 'peppers'],
      ['session-secrets', 'secrets'],
      ['worker-tickets', 'tickets'],
    ] as const) {
      expect(parseKeyring(secretText(find(objects, 'Secret', name), key)).secrets.size).toBe(1);
    }
    const token = secretText(find(objects, 'Secret', 'admin-token'), 'token');
    expect(SERVICES.console.ADMIN_TOKEN.read(token)).toBe(token);
    expect(new URL(secretText(find(objects, 'Secret', 'redis-gateway'), 'url'))).toMatchObject({
      username: 'gateway',
      hostname: 'svc-asr-redis.asr.svc',
    });
  },
  WITHIN_MS,
);

test(
  'no password is written where it does not belong',
  async () => {
    const objects = await render();
    const passwords = Object.values(find(objects, 'Secret', 'redis-passwords').stringData as Record<string, string>);
    expect(passwords).toHaveLength(5);
    const elsewhere = objects.filter(({ kind }) => kind !== 'Secret');
    for (const password of passwords) expect(JSON.stringify(elsewhere)).not.toContain(password);
    const acl = secretText(find(objects, 'Secret', 'redis-acl'), 'users.acl');
    for (const password of passwords) expect(acl).not.toContain(password);
  },
  WITHIN_MS,
);

test(
  'Helm keeps every Secret that it made',
  async () => {
    const made = (await render()).filter(({ kind }) => kind === 'Secret');
    expect(made).toHaveLength(13);
    for (const { metadata } of made) {
      expect(metadata.annotations).toMatchObject({ 'helm.sh/resource-policy': 'keep' });
    }
  },
  WITHIN_MS,
);

test(
  'without secrets.create no Secret is made',
  async () => {
    const objects = await render({ secrets: { create: false } });
    expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([]);
  },
  WITHIN_MS,
);

test(
  'alerts and dashboards are rendered as they are: their braces are not for Helm',
  async () => {
    const monitoring = { prometheusRule: { enabled: true }, dashboards: { enabled: true } };
    const objects = await render({ monitoring });
    const file = (name: string) => readFileSync(join(CHART_FOLDER, 'files', name), 'utf8');
    expect(find(objects, 'PrometheusRule', 'alerts').spec).toEqual(parse(file('alerts.yaml')));
    const platform = find(objects, 'ConfigMap', 'dashboard-platform').data as Record<string, string>;
    expect(JSON.parse(platform['platform.json'] ?? '')).toEqual(JSON.parse(file('dashboards/platform.json')));
  },
  WITHIN_MS,
);
