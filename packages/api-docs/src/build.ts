import { mkdirSync, writeFileSync } from 'node:fs';
import { renderDocuments } from './render.ts';

/** A step of `npm run build`: writes the documents to `dist/public`. */
const folder = new URL('../dist/public/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(renderDocuments())) writeFileSync(new URL(name, folder), text);
