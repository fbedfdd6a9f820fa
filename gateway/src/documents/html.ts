/** Text that is HTML already; everything else is escaped when it is put into a template. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | undefined | readonly Html[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Makes text harmless in HTML, in an element and in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** A template of HTML: what is put in is escaped unless it is HTML; lists are joined, undefined is nothing. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, at) => (at === 0 ? text : textOf(parts[at - 1]) + text)).join(''));
}

/** Puts pieces of HTML one after the other. */
export function join(pieces: readonly Html[], separator = ''): Html {
  return new Html(pieces.map((piece) => piece.text).join(separator));
}

function textOf(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part));
  return join(part).text;
}
