import MarkdownIt from 'markdown-it';
import type { Token } from 'markdown-it';
import { code } from './code.ts';
import { Html } from './html.ts';

/** The part of a guide below one `##` heading. */
export interface Section {
  /** Anchor of the section. */
  id: string;
  title: string;
  body: Html;
}

// By default, markdown-it escapes raw HTML and does not render links to scripts.
const renderer = new MarkdownIt({ highlight: (source, language) => code(source.trimEnd(), language).text });
renderer.core.ruler.push('table-labels', ({ tokens }) => labelTables(tokens));
renderer.renderer.rules.table_open = (tokens, at, options, _environment, self) =>
  `<div class="scroll">${self.renderToken(tokens, at, options)}`;
renderer.renderer.rules.table_close = (tokens, at, options, _environment, self) =>
  `${self.renderToken(tokens, at, options)}</div>`;

/** Renders a text with paragraphs, lists, tables and code. */
export function markdown(text: string): Html {
  return new Html(renderer.render(text));
}

/** Renders a text without blocks. It may contain inline markup, such as code, bold and links. */
export function inline(text: string): Html {
  return new Html(renderer.renderInline(text));
}

/** Renders a guide as one section per `##` heading. The text before the first heading is `intro`. */
export function sections(text: string): { intro: Html; sections: Section[] } {
  const environment = {};
  const tokens = renderer.parse(text, environment);
  const render = (from: number, to: number): Html =>
    new Html(renderer.renderer.render(tokens.slice(from, to), renderer.options, environment));
  const starts = tokens.flatMap(({ type, tag }, at) => (type === 'heading_open' && tag === 'h2' ? [at] : []));
  return {
    intro: render(0, starts[0] ?? tokens.length),
    sections: starts.map((start, at) => {
      const title = tokens[start + 1]?.content ?? '';
      // A heading consists of three tokens: open, text and close.
      return { id: slug(title), title, body: render(start + 3, starts[at + 1] ?? tokens.length) };
    }),
  };
}

/** Returns the anchor of a heading. */
export function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/**
 * Stores in each table cell the heading of the cell's column. Tables with more than two columns are too wide for a
 * phone. On a phone, the style sheet shows their rows as cards, with the headings as labels.
 */
function labelTables(tokens: readonly Token[]): void {
  let table: Token | undefined;
  let headings: string[] = [];
  let column = 0;
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'table_open') [table, headings] = [token, []];
    if (token.type === 'tr_open') column = 0;
    if (token.type === 'th_open') {
      token.attrSet('scope', 'col');
      headings.push(tokens[at + 1]?.content ?? '');
      table?.attrSet('class', headings.length > 2 ? 'cards' : 'plain');
    }
    if (token.type === 'td_open') token.attrSet('data-label', headings[column++] ?? '');
  }
}
