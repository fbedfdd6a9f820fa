import { code } from './code.ts';
import type { Html } from './html.ts';
import { join, markup } from './html.ts';

/** A part of a text under a heading of the second level. */
export interface Section {
  id: string;
  title: string;
  body: string;
}

/** Cuts a text at its `##` headings; what is before the first is `intro`. */
export function sections(text: string): { intro: string; sections: Section[] } {
  const [intro = '', ...rest] = text.split(/^## /m);
  return {
    intro: intro.trim(),
    sections: rest.map((part) => {
      const [title = '', ...lines] = part.split('\n');
      return { id: slug(title), title: title.trim(), body: lines.join('\n').trim() };
    }),
  };
}

/** The anchor of a heading. */
export function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/**
 * Renders the part of CommonMark that our own descriptions use: paragraphs, lists of one level, tables, fenced code,
 * and inline code, bold and links. Anything else stays visible as text, escaped.
 */
export function markdown(text: string): Html {
  return join(blocks(text).map(block), '\n');
}

/** Renders inline code, bold and links of one line. */
export function inline(text: string): Html {
  const pieces = text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)\s]+\))/);
  return join(
    pieces.map((piece) => {
      if (/^`.+`$/.test(piece)) return markup`<code>${piece.slice(1, -1)}</code>`;
      if (/^\*\*.+\*\*$/.test(piece)) return markup`<strong>${piece.slice(2, -2)}</strong>`;
      const link = /^\[(.+)\]\((.+)\)$/.exec(piece);
      return isSafe(link?.[2]) ? markup`<a href="${link?.[2]}">${link?.[1]}</a>` : markup`${piece}`;
    }),
  );
}

function isSafe(target: string | undefined): boolean {
  return target !== undefined && /^(#|\/|https:\/\/)/.test(target);
}

/** Blank lines part blocks, except inside a fence. */
function blocks(text: string): string[] {
  const found: string[] = [];
  let lines: string[] = [];
  let isFenced = false;
  for (const line of [...text.split('\n'), '']) {
    if (line.startsWith('```')) isFenced = !isFenced;
    if (line.trim() === '' && !isFenced) {
      if (lines.length > 0) found.push(lines.join('\n'));
      lines = [];
    } else lines.push(line);
  }
  if (lines.length > 0) found.push(lines.join('\n'));
  return found;
}

function block(text: string): Html {
  const lines = text.split('\n');
  const first = lines[0] ?? '';
  if (first.startsWith('```')) return code(lines.slice(1, -1).join('\n'), first.slice(3));
  if (first.startsWith('|')) return table(lines);
  if (first.startsWith('- ')) return markup`<ul>${items(lines, /^- /)}</ul>`;
  const start = /^(\d+)\. /.exec(first)?.[1];
  // A list goes on after a block of code; `start` keeps its numbers.
  if (start !== undefined) return markup`<ol start="${start}">${items(lines, /^\d+\. /)}</ol>`;
  return markup`<p>${inline(lines.join(' '))}</p>`;
}

function items(lines: readonly string[], mark: RegExp): Html[] {
  return lines.map((line) => markup`<li>${inline(line.replace(mark, ''))}</li>`);
}

function table(lines: readonly string[]): Html {
  const [head = [], , ...rows] = lines.map(cellsOf);
  const row = (cells: readonly string[]) =>
    markup`<tr>${cells.map((cell, at) => markup`<td data-label="${head[at]}">${inline(cell)}</td>`)}</tr>`;
  // Many columns do not fit a phone: there each row becomes a card with labels.
  return markup`<div class="scroll"><table class="${head.length > 2 ? 'cards' : 'plain'}">
<thead><tr>${head.map((cell) => markup`<th scope="col">${inline(cell)}</th>`)}</tr></thead>
<tbody>${rows.map(row)}</tbody></table></div>`;
}

function cellsOf(line: string): string[] {
  return line
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());
}
