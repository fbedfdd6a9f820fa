import { parseClusterArguments } from '../../tools/cluster/arguments.ts';
import { adaptCommands, readmeCommands } from './readme.ts';

const replacements = { registry: 'registry.test', pullPolicy: 'Always', port: 1111 };

/** Splits commands into lines. Joins each line that ends with a backslash with the next line. */
const linesOf = (commands: string) => commands.replaceAll('\\\n', ' ').split('\n');

test('the README uses only existing commands to create a cluster and load the images', () => {
  const lines = linesOf(readmeCommands().create);
  expect(lines).toContain('npm run images');
  const commands = lines.flatMap((line) => /cluster -- (\w+)/.exec(line)?.[1] ?? []);
  expect(commands.map((command) => parseClusterArguments([command])?.action)).toEqual(['up', 'load']);
});

test('the install commands of the README are six lines, and the last one transcribes a recording', () => {
  const lines = linesOf(readmeCommands().install);
  expect(lines).toHaveLength(6);
  expect(lines[1]).toMatch(/^helm install /);
  expect(lines[5]).toContain('npx svc-asr transcribe');
});

test('adaptCommands replaces the registry and the port of the README, and fails if the README no longer contains them', () => {
  const { install } = readmeCommands();
  const adapted = adaptCommands(install, replacements);
  expect(adapted).not.toMatch(/8443|REGISTRY=localhost/);
  expect(adapted.split('\n')).toHaveLength(install.split('\n').length);
  expect(() => adaptCommands('helm install', replacements)).toThrow('README no longer contains');
});
