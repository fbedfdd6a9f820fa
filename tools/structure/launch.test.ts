import { readFileSync } from 'node:fs';

test.each(['gateway', 'operator', 'console', 'worker'])(
  'the main module of %s imports only the launcher and modules of Node, so that signals are handled while other modules load',
  (service) => {
    const main = readFileSync(new URL(`../../${service}/src/main.ts`, import.meta.url), 'utf8');
    const imports = [...main.matchAll(/^import .* from '(.*)';$/gm)].map(([, from]) => from);
    expect(imports.filter((from) => !from?.startsWith('node:'))).toEqual(['@svc-asr/runtime/launch']);
  },
);
