import type { Model } from '@svc-asr/core';
import { eventually } from '../support/eventually.ts';
import { modelYaml } from '../support/model.ts';
import { balanceOf, modelsOf, refusal, sessionOf } from '../support/refusals.ts';
import { START_TIMEOUT_MS, startService, stopServices } from '../support/service.ts';
import type { Service } from '../support/service.ts';

/**
 * Time limit for a change of a file to take effect. Even a busy machine meets it. `defaults.test.ts` checks by
 * calculation that the default settings meet the documented time limit.
 */
const APPLIED_WITHIN_MS = 30_000;

let service: Service;
let key: string;
beforeAll(async () => {
  // Empty values select the default timing, which this file tests.
  service = await startService({ env: { CONFIG_POLL_MS: '', CONFIG_SETTLE_MS: '' } });
  ({ key } = await service.tenant({ seconds: 100_000 }));
}, START_TIMEOUT_MS);
afterAll(stopServices, START_TIMEOUT_MS);

async function models(): Promise<Map<string, Model>> {
  const listed = modelsOf(await service.request('GET', '/v1/models'));
  return new Map(listed.map((model) => [model.id, model]));
}

const offered = (name: string, language: string) =>
  eventually(`${name} is offered for ${language}`, APPLIED_WITHIN_MS, async () => {
    return (await models()).get(name)?.language === language;
  });

function tenantYaml(name: string, fields: { state?: string; grants?: string; concurrent?: number } = {}): string {
  const { state = 'Active', grants = '[{id: first, audioSeconds: 100}]', concurrent = 5 } = fields;
  return `apiVersion: asr.svc.dev/v1
kind: Tenant
metadata: {name: ${name}}
spec:
  displayName: From a file
  state: ${state}
  limits: {concurrentSessions: ${concurrent}}
  grants: ${grants}
`;
}

describe('a model', () => {
  const NAME = 'svc-asr-kamba-v1';

  test('that is added while the service runs is listed and accepts sessions', async () => {
    expect(refusal(await service.create(key, { model: NAME }))).toBe('model_not_found');
    service.writeConfig('kamba.yaml', modelYaml(NAME, { language: 'Kamba', code: 'kam' }));
    await offered(NAME, 'Kamba');
    expect((await models()).get(NAME)).toStrictEqual({
      id: NAME,
      object: 'model',
      capability: 'asr.streaming',
      language: 'Kamba',
      language_code: 'kam',
      max_audio_seconds: 300,
      audio: { encoding: 'pcm_s16le', sample_rate_hz: 16_000, channels: 1 },
      contexts: [{ context_size: [56, 13], chunk_ms: 1120, default: true }],
    });
    expect(sessionOf(await service.create(key, { model: NAME })).model).toBe(NAME);
  });

  test('that is edited while the service runs is updated', async () => {
    service.writeConfig('kamba.yaml', modelYaml(NAME, { language: 'Kikamba', code: 'kam' }));
    await offered(NAME, 'Kikamba');
  });

  test('whose file gets an invalid edit keeps its last valid version, and the error names the file and the field', async () => {
    const before = await models();
    service.writeConfig('kamba.yaml', modelYaml(NAME, { language: 'Wrong', max: '"many"' }));
    await eventually('the problem is reported', APPLIED_WITHIN_MS, () => {
      return service.output().includes('kamba.yaml') && service.output().includes('spec.scaling.max');
    });
    // An earlier line can report an empty file, if the service has read the file while it was written.
    const logged = service
      .logs()
      .split('\n')
      .find((line) => line.includes('kamba.yaml') && line.includes('spec.scaling.max'));
    expect(JSON.parse(logged!)).toMatchObject({
      level: 'error',
      file: expect.stringContaining('kamba.yaml'),
      problems: [expect.objectContaining({ field: 'spec.scaling.max', line: expect.any(Number) })],
    });
    expect(await models()).toEqual(before);
    expect(sessionOf(await service.create(key, { model: NAME })).model).toBe(NAME);
  });

  test('with a corrected file is updated again', async () => {
    service.writeConfig('kamba.yaml', modelYaml(NAME, { language: 'Repaired' }));
    await offered(NAME, 'Repaired');
  });

  test('is removed when its file is deleted, while the other models stay', async () => {
    service.removeConfig('kamba.yaml');
    await eventually('the model is removed', APPLIED_WITHIN_MS, async () => !(await models()).has(NAME));
    await eventually('the model accepts no sessions', APPLIED_WITHIN_MS, async () => {
      const answer = await service.create(key, { model: NAME });
      return answer.status === 404 && refusal(answer) === 'model_not_found';
    });
    expect([...(await models()).keys()].toSorted()).toEqual(['svc-asr-dholuo-v1', 'svc-asr-kikuyu-v1']);
  });
});

describe('a file that is not a valid resource', () => {
  test.each([
    ['broken.yaml', 'kind: [', 'broken.yaml'],
    ['unknown.yaml', 'apiVersion: asr.svc.dev/v1\nkind: Nothing\nmetadata: {name: x}\n', 'kind'],
    ['field.yaml', `${modelYaml('svc-asr-field-v1')}  colour: green\n`, 'spec.colour'],
  ])('%s is reported and changes nothing', async (file, text, reported) => {
    const before = await models();
    service.writeConfig(file, text);
    await eventually('the problem is reported', APPLIED_WITHIN_MS, () => {
      return service
        .output()
        .split('\n')
        .some((line) => line.includes(file) && line.includes(reported));
    });
    expect(await models()).toEqual(before);
    sessionOf(await service.create(key));
    service.removeConfig(file);
  });
});

describe('a tenant', () => {
  test('that is added or changed in a file is applied while the service runs, and each grant is credited only once', async () => {
    service.writeConfig('tenant.yaml', tenantYaml('from-a-file'));
    await eventually('the tenant has an account', APPLIED_WITHIN_MS, async () => {
      const { status, body } = await service.admin.call('GET', '/tenants/from-a-file');
      return status === 200 && (body as { account: unknown }).account !== null;
    });
    const own = await service.admin.key('from-a-file');
    expect(balanceOf(await service.usage(own)).available_ms).toBe(100_000);

    service.writeConfig('tenant.yaml', tenantYaml('from-a-file', { state: 'Suspended' }));
    await eventually(
      'the tenant is suspended',
      APPLIED_WITHIN_MS,
      async () => (await service.usage(own)).status === 403,
    );

    const grants = '[{id: first, audioSeconds: 900}, {id: second, audioSeconds: 50}]';
    service.writeConfig('tenant.yaml', tenantYaml('from-a-file', { grants }));
    await eventually('the tenant is active, with the second grant', APPLIED_WITHIN_MS, async () => {
      const answer = await service.usage(own);
      return answer.status === 200 && balanceOf(answer).available_ms === 150_000;
    });

    service.writeConfig('tenant.yaml', tenantYaml('from-a-file', { grants: '[]', concurrent: 1 }));
    await eventually('the tenant may have one session', APPLIED_WITHIN_MS, async () => {
      return (await service.admin.call('GET', '/tenants/from-a-file')).text.includes('"concurrentSessions":1');
    });
    expect(balanceOf(await service.usage(own)).available_ms).toBe(150_000);
  });
});

describe('capacity', () => {
  const NAME = 'svc-asr-full-v1';

  test('of zero workers refuses sessions and leaves no credit reserved', async () => {
    service.writeConfig('full.yaml', modelYaml(NAME, { language: 'Full', max: 0 }));
    await offered(NAME, 'Full');
    const tenant = await service.tenant({ seconds: 100, limits: { concurrentSessions: 1, sessionsPerMinute: 5 } });
    const headers = { 'idempotency-key': 'one' };
    for (let round = 0; round < 8; round++) {
      const answer = await service.create(tenant.key, { model: NAME }, headers);
      expect(refusal(answer)).toBe('no_capacity');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      await eventually('nothing is reserved', APPLIED_WITHIN_MS, async () => {
        const { live_sessions: live, credits } = await service.admin.account(tenant.name);
        return live === 0 && credits.reserved_ms === 0;
      });
    }
    expect(balanceOf(await service.usage(tenant.key)).recent_sessions).toEqual([]);
    expect(sessionOf(await service.create(tenant.key, { model: 'svc-asr-kikuyu-v1' })).credits.reserved).toBe(60);
  });

  test('that is raised from zero to one worker allows sessions without a restart of the service', async () => {
    service.writeConfig('full.yaml', modelYaml(NAME, { language: 'Full', max: 1 }));
    await eventually('a session is created', APPLIED_WITHIN_MS, async () => {
      return (await service.create(key, { model: NAME })).status === 201;
    });
  });
});
