import { createRequire } from 'node:module';
import { Html, markup } from './html.ts';

/** The part of highlight.js that is used here. */
interface Highlighter {
  registerLanguage: (name: string, grammar: unknown) => void;
  getLanguage: (name: string) => unknown;
  highlight: (source: string, options: { language: string }) => { value: string };
}

// highlight.js is loaded without its types, because they would add the types of the DOM to every file that is checked
// together with this one.
const require = createRequire(import.meta.url);
const highlighter = require('highlight.js/lib/core') as Highlighter;
const GRAMMARS = { json: 'json', javascript: 'javascript', python: 'python', shell: 'bash' };
for (const [name, grammar] of Object.entries(GRAMMARS)) {
  highlighter.registerLanguage(name, require(`highlight.js/lib/languages/${grammar}`));
}

/** Renders a block of code with syntax highlighting. Code in an unknown language is plain. */
export function code(source: string, language: string): Html {
  const highlighted =
    highlighter.getLanguage(language) === undefined
      ? markup`${source}`
      : new Html(highlighter.highlight(source, { language }).value);
  return markup`<pre class="code" tabindex="0"><code>${highlighted}</code></pre>`;
}

/** Renders a value as JSON. Lists of two numbers stay on one line. */
export function jsonCode(value: unknown): Html {
  const text = JSON.stringify(value, null, 2).replace(/\[\s+(-?\d+),\s+(-?\d+)\s+\]/g, '[$1, $2]');
  return code(text, 'json');
}
