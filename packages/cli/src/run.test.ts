import { readFileSync } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { EXIT } from './exit.ts';
import { COMMANDS, runLine } from './run.ts';

async function run(...line: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const status = await runLine(line, {
    env: { SVC_ASR_HOME: '/nonexistent' },
    cwd: '/',
    stdin: Readable.from([]),
    stdout,
    stderr,
    onInterrupt: () => () => undefined,
  });
  const text = (stream: PassThrough) => String(stream.read() ?? '');
  return { status, out: text(stdout), err: text(stderr) };
}

test.each(
  [...COMMANDS.map(({ words }) => words), [], ['admin'], ['admin', 'keys'], ['admin', 'tenants']].map((words) => [
    words,
  ]),
)('svc-asr %j --help prints the usage', async (words) => {
  const { status, out, err } = await run(...words, '--help');
  expect([status, err]).toEqual([0, '']);
  expect(out).toMatch(/^Usage: svc-asr /);
});

test('the README lists every exit status with its meaning', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const listed = [...readme.matchAll(/^\| (\d+) +\| (.+?) +\|$/gm)].map(([, status, meaning]) => [
    Number(status),
    meaning,
  ]);
  expect(listed).toEqual(Object.values(EXIT).map(({ status, meaning }) => [status, meaning]));
});

test('svc-asr --help lists every exit status', async () => {
  expect((await run('--help')).out).toMatch(
    /Exit status:\n {2}0 .*\n {2}1 .*\n {2}2 .*\n {6}.*\n {2}3 .*\n {2}4 .*\n {2}5 .*\n {2}6 .*\n {2}70 .*\n {2}130 /,
  );
});

test.each([
  [[], 'unknown command'],
  [['nonsense'], 'unknown command'],
  [['transcrib', 'a.wav', '--json'], 'Did you mean `svc-asr transcribe`?'],
  [['admin', 'key', 'list'], 'Did you mean `svc-asr admin keys list`?'],
  [['transcribe', 'a.wav', '--langauge', 'ki'], 'unknown option --langauge. Did you mean --language?'],
  [['admin', 'keys'], '`svc-asr admin keys --help`'],
  [['models', '--nope'], 'unknown option --nope. Run `svc-asr models --help`'],
  [['models', 'extra'], 'too many arguments: extra'],
  [['admin', 'keys', 'create'], 'missing: --tenant NAME'],
  [['admin', 'keys', 'revoke'], 'missing: KEYID'],
  [['admin', 'keys', 'revoke', 'short'], 'the 10 characters'],
  [['admin', 'keys', 'create', '--tenant', 't', '--expires', 'soon'], '--expires must be'],
  [['admin', 'tenants', 'grant', 'n', '--seconds', 'x'], '--seconds must be a whole number'],
  [['admin', 'tenants', 'create', 'n'], 'missing: --display-name TEXT'],
  [['completion', 'tcsh'], 'SHELL must be one of bash, zsh, fish'],
  [['transcribe'], 'missing: FILE...'],
  [['transcribe', 'a', '--format', 'doc'], '--format must be one of text, json, srt, vtt'],
  [['transcribe', 'a', 'b', '--format', 'srt'], 'require a folder: --output FOLDER'],
  [['transcribe', 'a', 'b', '--format', 'srt', '--output', '-'], 'require a folder: --output FOLDER'],
  [['transcribe', 'a/x.wav', 'b/x.wav', '--output', '/tmp/'], 'two files would be written to /tmp/x.txt'],
  [['transcribe', 'a', '-o', '/nonexistent/x.txt'], 'the folder /nonexistent does not exist. Create it'],
  [['transcribe', 'a', 'b', '-o', 'x.txt'], 'a folder for several files. If x.txt is a folder, append /'],
  [['transcribe', 'a', '--json', '--format', 'srt'], '--json prints events'],
  [['transcribe', '-', '-'], 'standard input can be used only once'],
  [['models'], 'No service address is configured'],
  [['models'], 'If you start it with SVC_ASR_HOME, set this variable for svc-asr too.'],
  [['models', '--base-url', 'http://far'], '--base-url must start with https://'],
  [['usage', '--base-url', 'https://far'], 'Set SVC_ASR_API_KEY'],
  [['admin', 'tenants', 'list', '--admin-url', 'https://far'], 'Set SVC_ASR_ADMIN_TOKEN'],
  [['models', '--base-url', 'https://far', '--ca', '/nonexistent.pem'], 'cannot read the CA certificate'],
])('svc-asr %j exits with 2 and prints "%s"', async (line, message) => {
  const { status, out, err } = await run(...line);
  expect([status, out]).toEqual([2, '']);
  expect(err).toContain(message);
});

test('svc-asr --version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  for (const flag of ['--version', '-V'])
    expect(await run(flag)).toEqual({ status: 0, out: `svc-asr ${version}\n`, err: '' });
});

test('svc-asr --help lists user commands and admin commands in separate sections, and svc-asr help COMMAND equals COMMAND --help', async () => {
  const { out } = await run('--help');
  const [user = '', admin = ''] = out.split('Admin commands');
  expect(user).toMatch(/\n {2}transcribe FILE\.\.\. /);
  expect(user).not.toContain('admin ');
  expect(admin).toContain('  admin keys create ');
  expect(await run('help', 'transcribe')).toEqual(await run('transcribe', '--help'));
});

test.each(COMMANDS.map(({ words }) => words.join(' ')))('the options of svc-asr %s fit 80 columns', async (name) => {
  const { out } = await run(...name.split(' '), '--help');
  const examples = COMMANDS.find(({ words }) => words.join(' ') === name)?.examples ?? [];
  const lines = out.split('\n').filter((line) => !line.startsWith('Usage') && !examples.includes(line.trim()));
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test('svc-asr --json prints an error as one line of JSON on standard error', async () => {
  const { status, out, err } = await run('usage', '--base-url', 'https://far', '--json');
  expect([status, out]).toEqual([2, '']);
  const message = expect.stringContaining('SVC_ASR_API_KEY') as unknown;
  expect(JSON.parse(err)).toEqual({ error: { code: 'invalid_usage', message, exit_status: 2 } });
});

test('svc-asr refuses a secret in its arguments without printing it', async () => {
  const key = `svc_live_v1_0123456789_${'a'.repeat(38)}`;
  for (const line of [
    ['admin', 'keys', 'revoke', key],
    ['usage', `--api-key=${key}`],
    ['usage', key],
  ]) {
    const { status, err } = await run(...line);
    expect(status).toBe(2);
    expect(err).toContain('not accepted as arguments');
    expect(err).not.toContain('aaaa');
  }
});
