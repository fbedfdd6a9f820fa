import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endAfterFile } from '../../../test/support/leftovers.ts';
import { createWebClient } from './web-client.ts';

/** Sends Set-Cookie headers to a web client. Returns the cookies that the client keeps. */
async function keptCookies(lines: string[]): Promise<string> {
  const server = createServer((_request, response) => response.setHeader('set-cookie', lines).end());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  endAfterFile(async () => {
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createWebClient();
  await client.open(url);
  return client.cookie(url);
}

test.each(['Max-Age=0', 'max-age=0', 'expires=Thu, 01 Jan 1970 00:00:00 GMT'])(
  'the web client deletes a cookie with the attribute %s',
  async (attribute) => {
    expect(await keptCookies(['a=1', 'b=2', `a=x; Path=/; ${attribute}; HttpOnly`])).toBe('b=2');
  },
);

test.each(['a=71970f; Path=/; Max-Age=60', 'a=max-age=0; Path=/', 'a=1; Max-Age=0060', 'a=1; Path=/a 1970 b'])(
  'the web client keeps a cookie that is set with %j',
  async (line) => {
    expect(await keptCookies([line])).toBe(line.split(';')[0]);
  },
);
