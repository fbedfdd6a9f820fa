import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { runCommand } from './testing/command.ts';
import { TOKEN } from './testing/console.ts';
import { startTestEnvironment } from './testing/environment.ts';
import type { TestEnvironment } from './testing/environment.ts';

/** Routes that only browsers need. */
const FOR_BROWSERS = [
  'GET /admin/v1/sign-in',
  'POST /admin/v1/sign-in',
  'DELETE /admin/v1/sign-in',
  'GET /admin/v1/session',
];

/** Command lines that together run every admin command. Some are refused, which does not matter here. */
const LINES = [
  ...['applications list', 'applications approve x --seconds 5 --model m', 'applications decline x --reason no'],
  ...['tenants create x --display-name X', 'tenants list --search x --state Active', 'tenants show x'],
  ...[
    'tenants update x --priority low',
    'tenants suspend x',
    'tenants resume x',
    'tenants grant x --seconds 5 --note n',
  ],
  ...[
    'tenants grants x',
    'tenants keys x',
    'tenants sessions x --limit 5',
    'tenants refusals x',
    'tenants usage x --days 5',
  ],
  ...['tenants link x', 'tenants link x --once', 'tenants purge x', 'tenants delete x'],
  ...['keys create --tenant x', 'keys list', 'keys revoke 0123456789', 'journal export --tenant x', 'usage export'],
  ...['ledger status', 'ledger rebuild --yes', 'audit', 'models', 'health', 'sign-out-all'],
];

/** Time limit of a test that starts a process for each command line in LINES. */
const LONG_TEST_MS = 300_000;

let console_: TestEnvironment;
let home: string;
beforeAll(async () => {
  console_ = await startTestEnvironment({ operator: true, env: { PURGE_TIMEOUT_MS: '100' } });
  home = temporaryFolder('routes');
  writeFileSync(join(home, 'local.json'), JSON.stringify({ admin_url: console_.adminUrl, admin_token: TOKEN }));
});
afterAll(() => console_.stop());

test('every command of svc-asr admin is listed in LINES', async () => {
  const { out } = await runCommand(['admin', '--help'], { SVC_ASR_HOME: home });
  const commands = [...out.matchAll(/^ {2}admin ([a-z][a-z -]*[a-z])/gm)].map(([, words = '']) => words);
  expect(commands.length).toBeGreaterThan(20);
  expect(commands.filter((words) => !LINES.some((line) => `${line} `.startsWith(`${words} `)))).toEqual([]);
});

test(
  'the commands of svc-asr admin together send every request of the admin API, except those that only browsers need',
  async () => {
    for (const line of LINES) {
      // Writes the plan of a rebuild again before each command, as the operator does, because the plan expires.
      await console_.ledger.identity.showPlan({ ledgerId: 'lost', tenants: [] });
      const { status, err } = await runCommand(['admin', ...line.split(' ')], { SVC_ASR_HOME: home });
      // 1 means that the service refused the request, and 6 that a purge is incomplete. Any other status is a failure
      // of the command.
      expect([line, err, [0, 1, 6].includes(status ?? -1)]).toEqual([line, err, true]);
    }
    const lines = console_.output().trim().split('\n');
    const requests = lines.map((text) => JSON.parse(text) as { method?: string; route?: string });
    const sent = new Set(requests.map(({ method, route }) => `${method} ${route}`));
    const routes = console_.routes.admin.filter(({ path }) => path.startsWith('/admin/'));
    const missing = routes.map(({ method, path }) => `${method} ${path}`).filter((route) => !sent.has(route));
    expect(missing.sort()).toEqual([...FOR_BROWSERS].sort());
  },
  LONG_TEST_MS,
);
