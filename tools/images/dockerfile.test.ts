import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goModuleFolder } from '../install/go-module.ts';
import { root } from '../launch/terminal.mjs';
import { parseTargets, readTargets } from './dockerfile.ts';

test('parseTargets returns the layers and configuration of each target, including those of its base stage', () => {
  const targets = parseTargets(`
ARG NODE_IMAGE=node
FROM $NODE_IMAGE AS build
COPY . .
ENV IGNORED=1
FROM scratch AS base
COPY --from=build /stage/system/ /
ENV A=1
USER 1:1
WORKDIR /app
LABEL licenses="Apache-2.0"
FROM base AS one
LABEL title="one"
COPY --from=build /stage/one/program/ /
ENTRYPOINT ["node", "one.js"]
FROM one AS two
LABEL title="two" \\
      more="2 words"
ENV B=2 C=3
`);
  const one = { user: '1:1', workingDir: '/app', entrypoint: ['node', 'one.js'] };
  expect(targets).toEqual([
    {
      name: 'one',
      layers: ['system', 'one/program'],
      config: { ...one, env: ['A=1'], labels: { licenses: 'Apache-2.0', title: 'one' } },
    },
    {
      name: 'two',
      layers: ['system', 'one/program'],
      config: { ...one, env: ['A=1', 'B=2', 'C=3'], labels: { licenses: 'Apache-2.0', title: 'two', more: '2 words' } },
    },
  ]);
});

describe('images/Dockerfile', () => {
  test.each(readTargets(root).map((target) => [target.name, target] as const))(
    'runs Node as an unprivileged user in %s',
    (name, { config }) => {
      expect(config).toMatchObject({ user: '65532:65532', workingDir: '/app' });
      expect(config.entrypoint[0]).toBe('node');
      expect(config.env).toContain('NODE_ENV=production');
      expect(config.labels).toMatchObject({ 'org.opencontainers.image.title': name });
    },
  );

  test('builds k6 with the Go version of its go.mod', () => {
    const [, version = ''] = /^go (\d+\.\d+)/m.exec(readFileSync(join(goModuleFolder('k6'), 'go.mod'), 'utf8')) ?? [];
    const text = readFileSync(join(root, 'images/Dockerfile'), 'utf8');
    expect(text).toContain(`ARG GO_IMAGE=golang:${version}-`);
  });
});
