// The program of `helm test`. It runs in the console image and calls the gateway through its Service, as clients do.
import { readFileSync, existsSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { createRequire } from 'node:module';
import { clearTimeout } from 'node:timers';

const { GATEWAY_URL, SERVER_NAME, READY_URL, ADMIN_URL, TENANT, MODEL } = process.env;
const { ADMIN_TOKEN_FILE, CA_FILE, ADMIN_CA_FILE } = process.env;
/** Maximum duration of the test. Long enough for the first start of an installation. */
const PATIENCE_MS = Number(process.env.PATIENCE_MS ?? 240_000);
const APP = process.env.APP_FOLDER ?? '/app';

const readCa = (file) => (file !== undefined && existsSync(file) ? { ca: readFileSync(file) } : {});
const trust = { ...readCa(CA_FILE), servername: SERVER_NAME };
/** TLS options for the admin API, which has a certificate of its own. */
const adminTrust = readCa(ADMIN_CA_FILE);
const deadline = Date.now() + PATIENCE_MS;

function call(method, url, { token, body, tls = trust } = {}) {
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  return new Promise((resolve, reject) => {
    const request = send(url, { method, headers, timeout: 10_000, ...tls }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    request.on('timeout', () => request.destroy(new Error(`no answer from ${url} within 10 s`)));
    request.on('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Repeats a step until it succeeds. Throws the error of the last attempt after the deadline. */
async function eventually(what, step) {
  for (;;) {
    try {
      const result = await step();
      console.log(`ok: ${what}`);
      return result;
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`${what}: ${error.message}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

async function demand(status, method, url, options) {
  const answer = await call(method, url, options);
  if (answer.status === status) return answer.text === '' ? undefined : JSON.parse(answer.text);
  // The body of a successful response may contain secrets. The body of an error response does not.
  throw new Error(`${method} ${url} answered ${answer.status} ${answer.status < 300 ? '' : answer.text.trim()}`);
}

/** Streams a second of silence and waits for its `final`. */
function stream(session) {
  const WebSocket = createRequire(`${APP}/packages/cli/package.json`)('ws');
  const url = new URL(new URL(session.websocket_url).pathname, GATEWAY_URL.replace(/^http/, 'ws'));
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, session.websocket_protocols, { ...trust, handshakeTimeout: 10_000 });
    const timer = setTimeout(() => socket.terminate(), Math.max(1000, deadline - Date.now()));
    let final;
    socket.on('message', (data) => {
      const message = JSON.parse(data.toString());
      if (message.type === 'ready') {
        socket.send(Buffer.alloc(32_000));
        socket.send(JSON.stringify({ type: 'flush' }));
      } else if (message.type === 'final') {
        final = message;
        socket.close(1000);
      } else if (message.type === 'error') reject(new Error(`the stream failed: ${message.code}`));
    });
    socket.on('error', reject);
    socket.on('close', (code) => {
      clearTimeout(timer);
      if (final === undefined) reject(new Error(`the stream was closed with ${code} before its final`));
      else resolve(final);
    });
  });
}

async function testSession() {
  const admin = { token: readFileSync(ADMIN_TOKEN_FILE, 'utf8').trim(), tls: adminTrust };
  const created = await eventually('the console creates a key', () =>
    demand(201, 'POST', `${ADMIN_URL}/admin/v1/keys`, { ...admin, body: { tenant: TENANT, name: 'helm test' } }),
  );
  try {
    await eventually('a stream returns a final transcript', async () => {
      const body = { model: MODEL, max_audio_seconds: 5 };
      await stream(await demand(201, 'POST', `${GATEWAY_URL}/v1/asr/sessions`, { token: created.key, body }));
    });
  } finally {
    await demand(200, 'DELETE', `${ADMIN_URL}/admin/v1/keys/${created.key_id}`, admin);
  }
}

await eventually('the gateway is ready', async () => {
  const { status, text } = await call('GET', READY_URL);
  if (status !== 200) throw new Error(text.trim());
});
await eventually('the gateway lists models', async () => {
  const { data } = await demand(200, 'GET', `${GATEWAY_URL}/v1/models`);
  if (MODEL !== undefined && !data.some(({ id }) => id === MODEL)) throw new Error(`${MODEL} is not listed yet`);
});
if (ADMIN_URL !== undefined) await testSession();
console.log('all checks passed');
