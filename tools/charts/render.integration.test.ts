import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { parseKeyring, parseTicketKey, parseTicketPublicKeys } from '@svc-asr/runtime';
import { createCertificateSource } from '../../operator/src/workers/cluster/secret/certificate-source.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { runCommand } from '../cluster/command.ts';
import { root } from '../launch/terminal.mjs';
import { CHART_FOLDER } from './place.ts';
import { isDecided, SERVICES, variablesOf } from './service-settings.ts';
import type { ServiceName } from './service-settings.ts';
import { helm, runTool } from './testing/helm.ts';
import { find, NAMESPACE, podsOf, render, renderText } from './testing/render.ts';
import type { ChartObject } from './testing/render.ts';

/** Time limit of a test. One run of helm takes about a second, and far longer on a busy machine. */
const WITHIN_MS = 120_000;

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;

/** Returns all images that the chart names. They include the image of workers, which is a setting of the operator. */
const imagesOf = (objects: readonly ChartObject[]) => {
  const containers = podsOf(objects).flatMap(([, { spec }]) => spec.containers);
  const worker = containers.flatMap(({ env = [] }) => env.filter(({ name }) => name === 'WORKER_IMAGE'));
  return [...new Set([...containers.map(({ image }) => image), ...worker.map(({ value }) => value)])].sort();
};

async function refusal(values: object): Promise<string> {
  return render(values).then(
    () => 'not refused',
    (error: unknown) => String(error),
  );
}

const secretText = (object: ChartObject, key: string) => (object.stringData as Record<string, string>)[key] ?? '';

test(
  'helm lint --strict accepts the chart',
  async () => {
    expect(await helm(['lint', '--strict', CHART_FOLDER])).toContain('0 chart(s) failed');
  },
  WITHIN_MS,
);

test(
  'the test suites of helm-unittest pass',
  async () => {
    const { status, stdout, stderr } = await runTool('helm-unittest', ['--color=false', CHART_FOLDER]);
    expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/Tests:\s+[1-9]\d* passed, [1-9]\d* total/);
  },
  WITHIN_MS,
);

test.each([
  ['an unknown top-level value', { gatway: {} }, 'gatway'],
  ['an unknown value of a group', { gateway: { replica: 3 } }, 'replica'],
  ['an unknown value of a nested group', { redis: { persistence: { sise: '1Gi' } } }, 'sise'],
  ['a value of the wrong type', { gateway: { replicas: 'two' } }, 'got string, want integer'],
  ['a value outside of its enum', { tls: { mode: 'magic' } }, 'value must be one of'],
  ['a setting that no service knows', { gateway: { settings: { STREAM_IDEL_MS: 1 } } }, 'STREAM_IDEL_MS'],
  ['a setting that the chart sets itself', { gateway: { settings: { PUBLIC_URL: 'x' } } }, 'PUBLIC_URL'],
  ['a secret as a setting', { operator: { settings: { REDIS_URL: 'x' } } }, 'REDIS_URL'],
  ['a disabled Redis without an external one', { redis: { enabled: false } }, 'set redis.existingSecret'],
  [
    'an external Redis in addition to the bundled one',
    { redis: { external: { url: 'redis://x' } } },
    'set redis.enabled to false',
  ],
  ['existing Redis users without an ACL file', { redis: { existingSecret: 'x' } }, 'set redis.aclExistingSecret'],
  [
    'one existing Redis user without an ACL file',
    { redis: { existingSecrets: { gateway: 'x' } } },
    'set redis.aclExistingSecret',
  ],
  [
    'Sentinel with an external Redis',
    { redis: { enabled: false, external: { url: 'redis://x' }, sentinel: { enabled: true } } },
    'put their addresses into redis.external.url',
  ],
  [
    'Sentinel with existing Redis users',
    { redis: { aclExistingSecret: 'x', sentinel: { enabled: true } } },
    'remove redis.aclExistingSecret',
  ],
  ['an OTLP endpoint that is not a URL', { telemetry: { otlpEndpoint: 'collector:4318' } }, 'otlpEndpoint'],
  ['tls.mode existingSecret without a Secret', { tls: { mode: 'existingSecret' } }, 'set tls.existingSecret'],
  ['tls.mode certManager without an issuer', { tls: { mode: 'certManager' } }, 'issuerRef.name'],
  ['a certificate that all workers share', { workerTls: { existingSecret: 'x' } }, 'existingSecret'],
  ['a server name that is no DNS name', { workerTls: { serverName: 'Workers.example' } }, 'serverName'],
  [
    'an HTTPRoute without parentRefs',
    { publicUrl: 'https://asr.example.com', gateway: { httpRoute: { enabled: true } } },
    'parentRefs',
  ],
  ['an Ingress without publicUrl', { gateway: { ingress: { enabled: true } } }, 'set publicUrl'],
  ['a digest that is not a SHA-256', { redis: { image: { digest: 'sha256:12' } } }, "does not match pattern '^(sha256"],
  ['a digest and a tag', { console: { image: { digest: DIGEST, tag: '1' } } }, 'remove console.image.tag'],
  ['a digest and a variant', { worker: { image: { digest: DIGEST, variant: 'cuda' } } }, 'worker.image.variant'],
  ['a tag in a repository', { gateway: { image: { repository: 'gateway:1' } } }, 'gateway.image.tag'],
  ['a URL as registry', { image: { registry: 'https://images.example' } }, 'does not match pattern'],
  ['an http publicUrl with TLS enabled', { publicUrl: 'http://asr.example.com' }, 'tls.mode'],
])(
  'the chart rejects %s with an error about it',
  async (_case, values, message) => {
    expect(await refusal(values)).toContain(message);
  },
  WITHIN_MS,
);

test.each([
  [
    'an empty registry',
    {},
    ['redis:7.2', ...['console', 'gateway', 'operator', 'worker'].map((name) => `svc-asr-${name}:0.1.0`)],
  ],
  [
    'image.registry and image.tag',
    { image: { registry: 'images.example:5000/asr/', tag: '2' }, worker: { image: { variant: 'cuda' } } },
    [
      ...['redis:7.2', 'svc-asr-console:2', 'svc-asr-gateway:2', 'svc-asr-operator:2', 'svc-asr-worker:2-cuda'].map(
        (name) => `images.example:5000/asr/${name}`,
      ),
    ],
  ],
  [
    'digests and another registry for Redis',
    {
      image: { registry: 'images.example', tag: '2' },
      redis: { image: { registry: 'docker.io/library', digest: DIGEST } },
      ...Object.fromEntries(
        ['gateway', 'operator', 'worker', 'console'].map((name) => [name, { image: { digest: DIGEST } }]),
      ),
    },
    [
      `docker.io/library/redis@${DIGEST}`,
      ...['console', 'gateway', 'operator', 'worker'].map((name) => `images.example/svc-asr-${name}@${DIGEST}`),
    ],
  ],
])(
  'every image of the chart has the expected reference with %s',
  async (_case, values, expected) => {
    expect(imagesOf(await render(values))).toEqual(expected);
  },
  WITHIN_MS,
);

test(
  'the sed command in docs/install.md lists every image of the rendered chart',
  async () => {
    const page = readFileSync(join(root, 'docs/install.md'), 'utf8');
    const [, script = ''] = /sed -nE '(.+)' \| sort -u/.exec(page) ?? [];
    for (const values of [
      {},
      { image: { registry: 'images.example:5000/asr' }, worker: { image: { digest: DIGEST } } },
    ]) {
      const listed = await runCommand('sed', ['-nE', script], { input: await renderText(values, NAMESPACE) });
      expect([...new Set(listed.trim().split('\n'))].sort()).toEqual(imagesOf(await render(values)));
    }
  },
  WITHIN_MS,
);

test(
  'the services know every environment variable that the chart sets',
  async () => {
    const objects = await render({
      redis: { caSecret: 'redis-ca', workerUsers: 'shared' },
      modelNamespaces: ['team'],
      gateway: { settings: { LOG_LEVEL: 'debug' } },
      console: { adminApi: { enabled: true } },
      telemetry: { otlpEndpoint: 'http://collector:4318' },
    });
    const deployments = podsOf(objects).filter(([name]) => name.startsWith('Deployment '));
    expect(deployments.map(([name]) => name.replace('Deployment svc-asr-', '')).sort()).toEqual(
      Object.keys(SERVICES).sort(),
    );
    for (const [, { spec }] of deployments) {
      const [container] = spec.containers;
      const service = container!.name as ServiceName;
      // Node reads NODE_EXTRA_CA_CERTS, and the command `svc-asr` reads SVC_ASR_*. Neither is a setting of a service.
      const names = (container!.env ?? [])
        .map(({ name }) => name)
        .filter((name) => name !== 'NODE_EXTRA_CA_CERTS' && !name.startsWith('SVC_ASR_'));
      const known = variablesOf(service);
      expect(names.filter((name) => !known.has(name))).toEqual([]);
      expect(names.filter((name) => !isDecided(service, name))).toEqual(
        { gateway: ['LOG_LEVEL'], operator: [], console: [] }[service],
      );
    }
  },
  WITHIN_MS,
);

test(
  'the chart accepts the flags for modelNamespaces that docs/install.md shows',
  async () => {
    const flags = readFileSync(join(root, 'docs/install.md'), 'utf8').matchAll(
      /(--set[a-z-]*) '(modelNamespaces=.*)'/g,
    );
    const namespaces: string[] = [];
    for (const [, flag = '', value = ''] of flags) {
      const text = await helm(['template', 'svc-asr', CHART_FOLDER, '--namespace', NAMESPACE, flag, value]);
      namespaces.push(/name: MODEL_NAMESPACES\n\s+value: "(.*)"/.exec(text)?.[1] ?? '');
    }
    expect(namespaces).toEqual(['speech', '']);
  },
  WITHIN_MS,
);

test(
  'services can parse the settings of the chart, and the grace period of each pod exceeds the default of STOP_GRACE_MS',
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
        // Settings named *_FILE are not checked, because their files exist only in a pod.
        if (name in settings && !name.endsWith('_FILE')) expect(() => settings[name]!.read(value)).not.toThrow();
      }
    }
  },
  WITHIN_MS,
);

test(
  'the chart renders the CustomResourceDefinitions of crds/ unchanged, and Helm keeps them on uninstall',
  async () => {
    const rendered = (await render()).filter(({ kind }) => kind === 'CustomResourceDefinition');
    expect(rendered).toHaveLength(4);
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
  'generated Secrets have the format that the services read',
  async () => {
    const objects = await render();
    for (const [name, key] of [
      ['api-key-peppers', 'peppers'],
      ['session-secrets', 'secrets'],
    ] as const) {
      expect(parseKeyring(secretText(find(objects, 'Secret', name), key)).secrets.size).toBe(1);
    }
    const { id } = parseTicketKey(secretText(find(objects, 'Secret', 'worker-ticket-key'), 'ticket.key'));
    const pem = secretText(find(objects, 'Secret', 'worker-ticket-public-keys'), 'keys.pem');
    expect([...parseTicketPublicKeys(pem).keys()]).toEqual([id]);
    const folder = temporaryFolder('worker-ca');
    const ca = { caCertFile: join(folder, 'tls.crt'), caKeyFile: join(folder, 'tls.key') };
    writeFileSync(ca.caCertFile, secretText(find(objects, 'Secret', 'worker-ca'), 'tls.crt'));
    writeFileSync(ca.caKeyFile, secretText(find(objects, 'Secret', 'worker-ca'), 'tls.key'));
    const source = createCertificateSource({ ...ca, serverName: 'workers', validityDays: 90, nowMs: Date.now });
    const issued = await source('m', {});
    expect(await source('m', issued)).toEqual(issued);
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
  'rendered objects contain Redis passwords only in Secrets, and the ACL file contains only their hashes',
  async () => {
    const objects = await render();
    const passwords = Object.values(find(objects, 'Secret', 'redis-passwords').stringData as Record<string, string>);
    expect(passwords).toHaveLength(4);
    const elsewhere = objects.filter(({ kind }) => kind !== 'Secret');
    for (const password of passwords) expect(JSON.stringify(elsewhere)).not.toContain(password);
    const acl = secretText(find(objects, 'Secret', 'redis-acl'), 'users.acl');
    for (const password of passwords) expect(acl).not.toContain(password);
  },
  WITHIN_MS,
);

test(
  'Helm keeps every generated Secret on uninstall',
  async () => {
    const values = { console: { adminApi: { enabled: true } } };
    const generated = (await render(values)).filter(({ kind }) => kind === 'Secret');
    expect(generated).toHaveLength(14);
    for (const { metadata } of generated) {
      expect(metadata.annotations).toMatchObject({ 'helm.sh/resource-policy': 'keep' });
    }
  },
  WITHIN_MS,
);

test(
  'the chart renders no Secret if secrets.create is false',
  async () => {
    const objects = await render({ secrets: { create: false } });
    expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([]);
  },
  WITHIN_MS,
);

test(
  'the chart renders the alerts and the platform dashboard unchanged, including their braces',
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
