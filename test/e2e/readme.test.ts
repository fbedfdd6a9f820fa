import { fitCommands, readmeCommands } from './readme.ts';

const place = {
  registry: 'registry.test',
  redisImage: { repository: 'registry.test/redis', tag: '7' },
  port: 1111,
};

test('README leads from helm install to a transcript in five commands', () => {
  // One that goes on in the next line ends with a backslash.
  const commands = readmeCommands().replaceAll('\\\n', ' ').split('\n');
  expect(commands).toHaveLength(5);
  expect(commands[0]).toMatch(/^helm install /);
  expect(commands[4]).toContain('npx svc-asr transcribe');
});

test('what end-to-end tests change of them is still there, and nothing but places is changed', () => {
  const fitted = fitCommands(readmeCommands(), place);
  expect(fitted).not.toMatch(/REGISTRY|8443/);
  expect(fitted.split('\n')).toHaveLength(readmeCommands().split('\n').length);
  expect(() => fitCommands('helm install', place)).toThrow('README has no');
});
