import { readFileSync } from 'node:fs';

/** Reads a file of this package by its path, for example `guides/http.md`. */
export function readText(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8').trimEnd();
}

/** Reads a Markdown guide and fills in its values. */
export function readGuide(name: string, values: Readonly<Record<string, string>> = {}): string {
  return fill(readText(`guides/${name}`), values);
}

/**
 * Replaces each `{{name}}` in a text with its value. Further lines of a value get the indentation of the line with the
 * placeholder, so that code stays inside its list item. Throws if a value is missing.
 */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  const fillLine = (line: string): string => {
    const indentation = /^ */.exec(line)?.[0] ?? '';
    return line.replaceAll(/\{\{([\w.-]+)\}\}/g, (_, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`The text uses {{${name}}}, which has no value.`);
      return value.replaceAll('\n', `\n${indentation}`);
    });
  };
  return text.split('\n').map(fillLine).join('\n');
}
