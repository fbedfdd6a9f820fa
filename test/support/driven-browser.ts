import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { openPage } from './browser.ts';

/** A page in a real browser, driven over the DevTools protocol. */
export interface Page {
  /** Navigates to an address and waits until it has loaded. */
  open: (url: string) => Promise<void>;
  /** Evaluates an expression in the page and awaits its promise. */
  evaluate: (expression: string) => Promise<unknown>;
  /** Waits until an expression is true. */
  until: (expression: string) => Promise<void>;
  /** Sets the value of the field whose label starts with this text, and dispatches an input event. */
  fill: (label: string, value: string) => Promise<void>;
  /** Clicks the button with this text and accepts any dialog. */
  click: (text: string) => Promise<void>;
  /** Sets the size of the page, in CSS pixels. */
  resize: (width: number, height: number) => Promise<void>;
  /** Script errors and entries of the browser's log, such as violations of the content security policy. */
  errors: () => readonly string[];
  close: () => Promise<void>;
}

const START_MS = 30_000;
const UNTIL_MS = 30_000;

interface Reply {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: { result?: { value?: unknown }; exceptionDetails?: { text?: string; exception?: { description?: string } } };
  error?: { message: string };
}

/** Starts a headless Chromium with a new profile. */
export async function openBrowser(options: readonly string[] = []): Promise<Page> {
  const browser = openPage('about:blank', ['--remote-debugging-port=0', ...options]);
  const socket = await connect(join(browser.profile, 'DevToolsActivePort'));

  const waiting = new Map<number, (reply: Reply) => void>();
  const errors: string[] = [];
  let nextId = 1;
  socket.on('message', (data: Buffer) => {
    const reply = JSON.parse(data.toString()) as Reply;
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply);
    else if (reply.method === 'Page.javascriptDialogOpening')
      void send('Page.handleJavaScriptDialog', { accept: true });
    else if (reply.method === 'Runtime.exceptionThrown' || reply.method === 'Log.entryAdded') {
      errors.push(JSON.stringify(reply.params));
    }
  });
  async function send(method: string, params: object = {}): Promise<Reply> {
    const id = nextId++;
    const reply = await new Promise<Reply>((resolve) => {
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
    waiting.delete(id);
    if (reply.error !== undefined) throw new Error(`${method}: ${reply.error.message}`);
    return reply;
  }
  async function evaluate(expression: string): Promise<unknown> {
    const options = { expression, awaitPromise: true, returnByValue: true, userGesture: true };
    const { result } = await send('Runtime.evaluate', options);
    const failure = result?.exceptionDetails;
    if (failure !== undefined)
      throw new Error(failure.exception?.description ?? failure.text ?? 'the expression threw');
    return result?.result?.value;
  }
  async function until(expression: string): Promise<void> {
    const deadline = Date.now() + UNTIL_MS;
    for (;;) {
      // An expression cannot be evaluated while the browser loads another page.
      if ((await evaluate(expression).catch(() => false)) === true) return;
      if (Date.now() > deadline) {
        const text = await evaluate('document.body.innerText');
        throw new Error(`${expression} did not become true; text of the page: ${String(text)} ${errors.join(' ')}`);
      }
      await sleep(25);
    }
  }
  const quoted = JSON.stringify;

  await send('Runtime.enable');
  await send('Log.enable');
  await send('Page.enable');
  return {
    open: async (url) => {
      await send('Page.navigate', { url });
      await until(`location.href.startsWith(${quoted(url.split('#')[0])}) && document.readyState === 'complete'`);
    },
    evaluate,
    until,
    fill: async (label, value) => {
      const found = `[...document.querySelectorAll('label')].find((each) => each.innerText.trim().startsWith(${quoted(label)}))`;
      await until(`${found} !== undefined`);
      await evaluate(
        `(() => { const control = ${found}.querySelector('input, textarea, select'); control.value = ${quoted(value)};
         control.dispatchEvent(new Event('input', { bubbles: true })); })()`,
      );
    },
    click: async (text) => {
      const found = `[...document.querySelectorAll('button')].find((each) => each.innerText.trim() === ${quoted(text)} && !each.disabled)`;
      await until(`${found} !== undefined`);
      await evaluate(`${found}.click()`);
    },
    resize: async (width, height) => {
      await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 500 });
    },
    errors: () => errors,
    close: async () => {
      socket.close();
      await browser.stop();
    },
  };
}

async function connect(portFile: string): Promise<WebSocket> {
  const deadline = Date.now() + START_MS;
  while (!existsSync(portFile) || !readFileSync(portFile, 'utf8').includes('\n')) {
    if (Date.now() > deadline) throw new Error('Chromium did not open its debugging port in time');
    await sleep(50);
  }
  const [port = ''] = readFileSync(portFile, 'utf8').split('\n');
  for (;;) {
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
      type: string;
      webSocketDebuggerUrl: string;
    }[];
    const page = targets.find(({ type }) => type === 'page');
    if (page !== undefined) {
      const socket = new WebSocket(page.webSocketDebuggerUrl);
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      return socket;
    }
    if (Date.now() > deadline) throw new Error('Chromium has no page');
    await sleep(50);
  }
}
