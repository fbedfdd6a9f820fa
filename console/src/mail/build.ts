import type { Mail } from './texts.ts';

const MAX_SUBJECT_CHARACTERS = 150;

/** Content of a mail in the form that is sent. */
export interface BuiltMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Builds plain text and HTML. Names of users are escaped in the HTML, and the subject is one line. */
export function buildMail({ subject, paragraphs, link }: Mail): BuiltMail {
  const text = [...paragraphs, ...(link === undefined ? [] : [`${link.text}: ${link.url}`])].join('\n\n');
  const parts = paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`);
  const anchor = link === undefined ? [] : [`<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.text)}</a></p>`];
  return { subject: oneLine(subject), text: `${text}\n`, html: [...parts, ...anchor].join('\n') };
}

/** Replaces line breaks and other control characters, which could add header lines, and shortens the text. */
function oneLine(text: string): string {
  const characters = Array.from(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim());
  return characters.slice(0, MAX_SUBJECT_CHARACTERS).join('');
}

function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
