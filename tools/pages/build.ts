// Builds the console's pages with Vite: `node tools/pages/build.ts`. It is a step of `npm run build`.
import { buildPages, WEB_FOLDER } from './pages.ts';

await buildPages(WEB_FOLDER);
