import { GUESTS, MODELS, templateOf } from '../../testing/cluster-models.ts';
import { buildEnvironment, findArtifactProblem } from './environment.ts';

const OPTIONS = {
  base: {},
  modelRoot: '/root',
  redis: { url: 'redis://redis', prefix: 'svc', timeoutMs: 1000 },
  stopGraceMs: 1000,
};
const [claim, path] = GUESTS;

test('buildEnvironment lists the guests of a worker with their folders and slots', () => {
  const template = templateOf(MODELS['cpu-path'], undefined, undefined, [path]);
  const { GUESTS: guests = '' } = buildEnvironment(template, 'w', OPTIONS);
  expect(JSON.parse(guests)).toEqual([{ MODEL: 'guest-path', SLOTS: 30, MODEL_DIR: '/models/g' }]);
  expect(buildEnvironment(templateOf(MODELS['cpu-path']), 'w', OPTIONS)).not.toHaveProperty('GUESTS');
});

test('findArtifactProblem names the guest whose artifact needs a cluster', () => {
  expect(findArtifactProblem(templateOf(MODELS['cpu-path'], undefined, undefined, [path]))).toBeUndefined();
  expect(findArtifactProblem(templateOf(MODELS['cpu-path'], undefined, undefined, [claim, path]))).toBe(
    'spec.artifact.persistentVolumeClaim of guest-claim is supported in a cluster only; use spec.artifact.path',
  );
});
