import { readText } from '../files.ts';

/**
 * The script of the page. It adds copy buttons and marks the current section in the navigation. The page works without
 * it.
 */
export const SCRIPT = readText('assets/script.js');

/** The style sheet of the page. */
export const STYLE = ['theme', 'layout', 'text', 'code', 'reference']
  .map((name) => readText(`assets/${name}.css`))
  .join('\n');
