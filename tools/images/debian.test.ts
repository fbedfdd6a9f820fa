import { buildBackports } from './debian.ts';

test('buildBackports returns one package source with backports for each site that offers the Debian release of the machine', () => {
  const sources = [
    'http://one.example/debian bookworm main',
    'http://one.example/debian bookworm main',
    'http://one.example/debian bookworm-updates main',
    'http://two.example/debian bookworm contrib',
    'http://three.example/node nodistro main',
    '',
  ].join('\n');
  expect(buildBackports(sources, 'ID=debian\nVERSION_CODENAME=bookworm\n')).toBe(
    'deb http://one.example/debian bookworm-backports main\ndeb http://two.example/debian bookworm-backports contrib\n',
  );
  expect(buildBackports(sources, 'ID=debian\n')).toBe('');
});
