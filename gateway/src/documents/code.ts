import type { Html } from './html.ts';
import { join, markup } from './html.ts';

// One expression for each language; the first group that matches names the colour.
const JSON_TOKENS = /("(?:[^"\\]|\\.)*"(?=\s*:))|("(?:[^"\\]|\\.)*")|\b(-?\d[\d.]*|true|false|null)\b/g;
const SCRIPT_TOKENS =
  /(\/\/[^\n]*)|('(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|"(?:[^"\\\n]|\\.)*")|\b(import|from|export|const|let|async|await|function|for|of|if|return|new|throw|switch|case|break|class|extends|super|this)\b/g;
const SHELL_TOKENS = /((?<=^|\s)#[^\n]*)|("[^"]*"|'[^']*')|((?<=^|\s)--?[A-Za-z][\w-]*|\bcurl\b|\bexport\b)/gm;

const LANGUAGES: Readonly<Record<string, { tokens: RegExp; classes: readonly string[] }>> = {
  json: { tokens: JSON_TOKENS, classes: ['k', 's', 'n'] },
  javascript: { tokens: SCRIPT_TOKENS, classes: ['c', 's', 'w'] },
  shell: { tokens: SHELL_TOKENS, classes: ['c', 's', 'w'] },
};

/** A block of code in the colours of its language; without a known language it is plain. */
export function code(source: string, language: string): Html {
  return markup`<pre class="code" tabindex="0"><code>${highlight(source, language)}</code></pre>`;
}

/** A value as JSON in colours; short lists of numbers stay on one line. */
export function jsonCode(value: unknown): Html {
  const text = JSON.stringify(value, null, 2).replace(/\[\s+(-?\d+),\s+(-?\d+)\s+\]/g, '[$1, $2]');
  return code(text, 'json');
}

/** Marks what the language knows; the rest is escaped and otherwise left as it is. */
export function highlight(source: string, language: string): Html {
  const rules = LANGUAGES[language];
  if (rules === undefined) return markup`${source}`;
  const pieces: Html[] = [];
  let at = 0;
  for (const match of source.matchAll(rules.tokens)) {
    const group = match.slice(1).findIndex((text) => (text as string | undefined) !== undefined);
    pieces.push(markup`${source.slice(at, match.index)}<i class="${rules.classes[group]}">${match[0]}</i>`);
    at = match.index + match[0].length;
  }
  return join([...pieces, markup`${source.slice(at)}`]);
}
