import { startTestEnvironment } from '../testing/environment.ts';
import type { TestEnvironment } from '../testing/environment.ts';
import { createVisitor } from '../testing/visitor.ts';

let console_: TestEnvironment;

beforeAll(async () => {
  console_ = await startTestEnvironment({ operator: true });
});

afterAll(async () => {
  await console_.stop();
});

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${console_.pageUrl}${path}`, { headers, redirect: 'manual' });

/** Returns the paths of the files that the page loads. */
async function assetPaths(): Promise<string[]> {
  const text = await (await get('/', HTML)).text();
  return [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
}

test('/docs redirects to the documentation of the API', async () => {
  const { status, headers } = await get('/docs');
  expect([status, headers.get('location')]).toEqual([302, 'https://localhost:8443/docs']);
});

test('every address of the console page returns the page with its security headers and with cache-control: no-cache', async () => {
  for (const path of ['/', '/keys', '/sessions/abc']) {
    const { status, headers } = await get(path, HTML);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' wss://localhost:8443; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test.each(['/favicon.ico', '/robots.txt'])('%s is not found, because it is not a page', async (path) => {
  const { status, headers } = await get(path, HTML);
  expect([status, headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
});

test('a client that does not accept HTML gets a JSON error at an address that is no route of the API', async () => {
  for (const path of ['/keys', '/console/v1/nothing']) {
    const response = await get(path);
    expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
      404,
      'not_found',
    ]);
  }
});

test('the files of the page have names with a hash, are cached for a year, and are compressed if the browser accepts Brotli', async () => {
  const paths = await assetPaths();
  expect(paths.map((path) => path.replace(/^.*\./, '')).sort()).toEqual(['css', 'js', 'svg']);
  for (const path of paths) {
    expect(path).toMatch(/-[\w-]{8}\.\w+$/);
    const { status, headers } = await get(path, { 'accept-encoding': 'gzip, br' });
    expect([path, status]).toEqual([path, 200]);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('content-encoding')).toBe('br');
    expect(headers.get('vary')).toContain('Accept-Encoding');
    const plain = await get(path, { 'accept-encoding': 'gzip' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toBe(await (await get(path, { 'accept-encoding': 'br' })).text());
  }
});

test.each(['/assets/index.js', '/assets/..%2F..%2Fpackage.json', '/assets/index.html.br'])(
  'GET %s returns 404, because the console page has no such file',
  async (path) => {
    expect((await get(path, HTML)).status).toBe(404);
  },
);

test('a write request without the header x-svc-asr-console: 1 is refused', async () => {
  const visitor = createVisitor(console_.pageUrl);
  for (const value of ['', '0']) {
    const answer = await visitor.call('POST', 'sign-in', { token: 'x' }, { 'x-svc-asr-console': value });
    expect([answer.status, answer.body.error.code]).toEqual([403, 'foreign_origin']);
  }
  expect((await visitor.call('POST', 'sign-in', { token: 'x' })).status).toBe(401);
});
