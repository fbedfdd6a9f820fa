import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RequestHandler, Response, Router } from 'express';
import { ConsoleError } from '../errors.ts';
import { methodNotAllowed } from '../http/error-handler.ts';

/** Folder of the built pages. `npm run build` writes it. */
const FOLDER = fileURLToPath(new URL('../../web/dist/', import.meta.url));
const INDEX = 'index.html';
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
};
/** Names of assets contain a hash of their content, so browsers need not ask for them again. */
const FOREVER = 'public, max-age=31536000, immutable';

/** Path of a file such as /robots.txt. No page has such an address. */
const FILE = /^\/[^/]+\.[a-z]+$/;

/** A file of a page, and its compressed form. */
interface PageFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly brotli: Buffer;
}

/** A page whose content depends on the address that the browser shows. */
export interface WebPage {
  /** Serves the start page and the assets. */
  readonly route: (router: Router) => void;
  /** Serves the page at other addresses to clients that ask for HTML. Add it after all other routes. */
  readonly routeOthers: (router: Router) => void;
}

/**
 * Loads a page that Vite built. Its content security policy allows connections to its own origin and to `connectTo`. It
 * forbids the page to load files from other origins, and it forbids other pages to embed this page in a frame.
 */
export function loadWebPage(name: 'developer' | 'admin', connectTo: readonly string[] = []): WebPage {
  const files = readFiles(join(FOLDER, name));
  const index = files.get(INDEX);
  if (index === undefined) throw new Error(`the page ${name} is missing in ${FOLDER}: run "npm run build"`);
  const headers = {
    'Content-Security-Policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src ${["'self'", ...connectTo].join(' ')}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'Referrer-Policy': 'no-referrer',
  };
  const sendIndex: RequestHandler = (request, response) => {
    response.set(headers);
    send(response, index, 'no-cache', request.acceptsEncodings('br') === 'br');
  };
  return {
    route: (router) => {
      router.route('/').get(sendIndex).all(methodNotAllowed('GET, HEAD'));
      router
        .route('/assets/:file')
        .get((request, response) => {
          const file = files.get(`assets/${request.params.file}`);
          if (file === undefined) throw new ConsoleError('not_found');
          send(response, file, FOREVER, request.acceptsEncodings('br') === 'br');
        })
        .all(methodNotAllowed('GET, HEAD'));
    },
    routeOthers: (router) => {
      router.get('/{*path}', (request, response, next) => {
        // Browsers and crawlers ask for files that do not exist. They get an error instead of the page.
        if (FILE.test(request.path)) next();
        // Clients of the API accept any type, and get errors as JSON.
        else if (request.accepts(['json', 'html']) === 'html') void sendIndex(request, response, next);
        else next();
      });
    },
  };
}

function readFiles(folder: string): Map<string, PageFile> {
  const names = globSync('**/*.{html,css,js,svg}', { cwd: folder });
  return new Map(
    names.map((name) => {
      const [plain, brotli] = [name, `${name}.br`].map((file) => readFileSync(join(folder, file))) as [Buffer, Buffer];
      return [name, { type: TYPES[name.split('.').at(-1) ?? ''] ?? 'text/plain', plain, brotli }];
    }),
  );
}

function send(response: Response, { type, plain, brotli }: PageFile, caching: string, isBrotli: boolean): void {
  response.set({ 'Cache-Control': caching, Vary: 'Accept-Encoding', 'X-Content-Type-Options': 'nosniff' }).type(type);
  if (isBrotli) response.set('Content-Encoding', 'br');
  response.send(isBrotli ? brotli : plain);
}
