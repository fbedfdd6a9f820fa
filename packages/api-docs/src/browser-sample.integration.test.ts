import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openBrowser } from '../../../test/support/driven-browser.ts';
import type { Page } from '../../../test/support/driven-browser.ts';
import { startTestService, TEST_KEY } from '../../../test/support/scripted-service/service.ts';
import type { TestService } from '../../../test/support/scripted-service/service.ts';

const sample = (name: string) => readFileSync(new URL(`../samples/${name}`, import.meta.url));

/**
 * Page that runs the example `stream.browser.js`. Its first script stores the microphone and the audio context that the
 * example opens, so that the test can read them.
 */
const PAGE = `<!doctype html><title>sample</title><p id="transcript"></p><button id="stop">Stop</button>
<script>
  const getUserMedia = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = async (options) => (window.microphone = await getUserMedia(options));
  window.AudioContext = class extends AudioContext {
    constructor(options) {
      super(options);
      window.context = this;
    }
  };
</script>
<script type="module" src="/stream.browser.js"></script>`;

let service: TestService;
let site: Server;
let page: Page;

beforeAll(async () => {
  service = await startTestService({ isPlain: true });
  site = createServer((request, response) => {
    const { url = '/' } = request;
    if (url === '/') response.setHeader('content-type', 'text/html').end(PAGE);
    else if (url.endsWith('.js')) response.setHeader('content-type', 'text/javascript').end(sample(url.slice(1)));
    else if (url === '/asr-session') {
      const headers = { authorization: `Bearer ${TEST_KEY}` };
      const body = JSON.stringify({ model: 'svc-asr-kikuyu-v1' });
      void fetch(`${service.url}/v1/asr/sessions`, { method: 'POST', headers, body })
        .then((answer) => answer.text())
        .then((text) => response.end(text));
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  page = await openBrowser(['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream']);
});

afterAll(async () => {
  await page.close();
  site.closeAllConnections();
  site.close();
  service.close();
});

test('stream.browser.js sends audio that was recorded before the message ready, and releases the microphone if the user stops before that message', async () => {
  service.script = { readyAfterMs: 3000 };
  await page.open(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  await page.until("document.querySelector('#stop').onclick !== null && context.currentTime > 0.5");
  await page.click('Stop');
  expect(await page.evaluate('microphone.getTracks().map(({ readyState }) => readyState)')).toEqual(['ended']);
  await page.until("/^[1-9]\\d* samples$/.test(document.querySelector('#transcript').textContent)");
  const stream = service.streams.at(-1)!;
  expect(await stream.closeCode).toBe(1000);
  expect(stream.messages).toEqual([{ type: 'flush' }]);
  await page.until("context.state === 'closed'");
});
