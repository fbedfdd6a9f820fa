import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PythonEnvironment } from '../install/python.ts';
import { checkTestName, checkText } from '../prose/check-text.ts';
import { PACKAGE_FOLDER } from './package.ts';

interface PythonText {
  file: string;
  line: number;
  kind: 'text' | 'test';
  text: string;
}

const MAX_LINES = 300;
const MAX_TEST_LINES = 500;

/** Returns each place in the Python package that violates the writing rules of CONTRIBUTING.md, one per line. */
export function checkPythonProse({ python }: PythonEnvironment): string[] {
  const program = join(import.meta.dirname, 'texts.py');
  const texts = JSON.parse(execFileSync(python, [program, PACKAGE_FOLDER], { encoding: 'utf8' })) as PythonText[];
  return texts.flatMap(({ file, line, kind, text }) => {
    const problems = kind === 'test' ? checkTestName(text, false) : checkText(text);
    return problems.map((problem) => `${file}:${line}: ${problem}`);
  });
}

/** Returns the files of the Python package that are too long. */
export function findLongFiles(): string[] {
  return globSync('**/*.py', { cwd: PACKAGE_FOLDER }).filter((file) => {
    const lines = readFileSync(join(PACKAGE_FOLDER, file), 'utf8').split('\n').length - 1;
    return lines > (file.includes('tests/') ? MAX_TEST_LINES : MAX_LINES);
  });
}
