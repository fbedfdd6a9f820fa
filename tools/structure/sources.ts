import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import ts from 'typescript';

/** A source file and its imports. */
export interface Source {
  /** Path relative to the root, with forward slashes. */
  path: string;
  lines: number;
  /** Imported files of the repository, relative to the root. */
  files: readonly string[];
  /** All other imports as written, such as `node:fs`, `redis` or `@svc-asr/core`. */
  modules: readonly string[];
}

const SKIPPED = new Set(['node_modules', 'dist', 'coverage']);

/** Reads every source file under a folder. */
export function readSources(root: string): Source[] {
  return listFiles(root)
    .filter((file) => /\.(ts|mjs|js|lua)$/.test(file))
    .map((file) => toSource(relative(root, file), readFileSync(file, 'utf8')));
}

/** Reads the imports of a file, including type imports. */
export function toSource(path: string, text: string): Source {
  const specifiers = path.endsWith('.lua') ? [] : ts.preProcessFile(text, true, true).importedFiles;
  const names = specifiers.map(({ fileName }) => fileName);
  const isRelative = (name: string) => name.startsWith('.');
  return {
    path,
    lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
    files: [...new Set(names.filter(isRelative).map((name) => posix.join(dirname(path), name)))],
    modules: [...new Set(names.filter((name) => !isRelative(name)))],
  };
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || SKIPPED.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listFiles(path);
    return entry.isFile() ? [path] : [];
  });
}
