import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../launch/terminal.mjs';
import { buildDockerfiles } from './dockerfile.ts';
import { buildImageConfig } from './image-config.ts';
import { IMAGES, titleOf } from './image.ts';

const folder = join(root, 'images');

test('the Dockerfiles are those of the list', () => {
  const present = Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
  // "npm run images -- --dockerfiles" renews them.
  expect(present).toEqual(buildDockerfiles());
});

test.each(IMAGES.map((image) => [titleOf(image), image] as const))(
  '%s runs the same from both builds',
  (title, image) => {
    const config = buildImageConfig(image, '1.2.3');
    const lines = (buildDockerfiles()[`${title}.Dockerfile`] ?? '').split('\n');
    expect(lines).toContain(`USER ${config.user}`);
    expect(lines).toContain(`WORKDIR ${config.workingDir}`);
    expect(lines).toContain(`ENTRYPOINT ${JSON.stringify(config.entrypoint)}`);
    for (const variable of config.env) expect(lines).toContain(`ENV ${variable}`);
    expect(lines.at(lines.indexOf('FROM scratch'))).toBe('FROM scratch');
  },
);
