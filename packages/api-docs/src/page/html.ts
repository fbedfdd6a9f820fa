/** A piece of HTML. `markup` inserts it unchanged, and escapes every other value. */
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

/** Escapes a text for use in an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/**
 * Template tag that builds HTML. Values are escaped unless they are Html. Lists are joined, and undefined is left out.
 */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, at) => (at === 0 ? text : textOf(parts[at - 1]) + text)).join(''));
}

/** Concatenates pieces of HTML. */
export function join(pieces: readonly Html[], separator = ''): Html {
  return new Html(pieces.map((piece) => piece.text).join(separator));
}

function textOf(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part));
  return join(part).text;
}
