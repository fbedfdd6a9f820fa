import type { ESLint, Rule } from 'eslint';
import type { Node } from 'estree';
import { checkTestName, checkText } from './check-text.ts';
import { joinComments } from './comments.ts';

/** Longest line of Markdown. Tables, headings, code, lines with a link and lines of a single word are exempt. */
const MARKDOWN_WIDTH = 100;

const comments: Rule.RuleModule = {
  meta: { type: 'suggestion', schema: [], docs: { description: 'Comments follow the writing rules.' } },
  create: (context) => ({
    'Program:exit': () => {
      for (const { text, loc } of joinComments(context.sourceCode.getAllComments())) {
        for (const message of checkText(text)) context.report({ loc, message });
      }
    },
  }),
};

const testNames: Rule.RuleModule = {
  meta: { type: 'suggestion', schema: [], docs: { description: 'Test names follow the writing rules.' } },
  create: (context) => {
    let describes = 0;
    return {
      CallExpression: (node) => {
        const name = calleeName(node.callee);
        if (name === 'describe') describes += 1;
        if (name !== 'test' && name !== 'it' && name !== 'describe') return;
        const title = textOf(node.arguments[0]);
        if (title === undefined) return;
        for (const message of checkTestName(title, name === 'describe' || describes > 0)) {
          context.report({ node, message });
        }
      },
      'CallExpression:exit': (node: Node) => {
        if (node.type === 'CallExpression' && calleeName(node.callee) === 'describe') describes -= 1;
      },
    };
  },
};

/** Returns `test` for `test(…)`, `test.each(…)(…)` and the like. */
function calleeName(callee: Node): string | undefined {
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type === 'MemberExpression') return calleeName(callee.object);
  if (callee.type === 'CallExpression') return calleeName(callee.callee);
  return undefined;
}

function textOf(node: Node | undefined): string | undefined {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked ?? '').join('…');
  return undefined;
}

/** The part of a Markdown syntax tree that the rules read. */
interface MarkdownNode {
  type: string;
  value?: string;
  children?: MarkdownNode[];
  position: { start: { line: number; column: number }; end: { line: number; column: number } };
}

const markdownText: Rule.RuleModule = {
  meta: { type: 'suggestion', schema: [], docs: { description: 'Markdown follows the writing rules.' } },
  create: (context) => {
    const check = (node: unknown) => {
      const { position } = node as MarkdownNode;
      for (const message of checkText(plainText(node as MarkdownNode))) {
        context.report({ loc: position, message });
      }
    };
    return { paragraph: check, heading: check, tableCell: check };
  },
};

/** Returns the text of a node; code becomes one word, because it is not prose. */
function plainText({ type, value, children = [] }: MarkdownNode): string {
  if (type === 'inlineCode') return 'Code';
  if (type === 'break') return ' ';
  return value ?? children.map(plainText).join('');
}

const markdownWidth: Rule.RuleModule = {
  meta: { type: 'layout', schema: [], docs: { description: `Markdown is wrapped at ${MARKDOWN_WIDTH} characters.` } },
  create: (context) => ({
    paragraph: (node: unknown) => {
      const { start, end } = (node as MarkdownNode).position;
      for (let line = start.line; line <= end.line; line += 1) {
        const text = (context.sourceCode as unknown as { lines: string[] }).lines[line - 1] ?? '';
        if (text.length <= MARKDOWN_WIDTH || /\]\(|https?:\/\//.test(text) || !/\S\s+\S/.test(text)) continue;
        const message = `The line has ${text.length} characters, more than ${MARKDOWN_WIDTH}. Wrap it.`;
        context.report({ loc: { start: { line, column: 1 }, end: { line, column: text.length } }, message });
      }
    },
  }),
};

/** Lint rules that enforce the writing rules of CONTRIBUTING.md. */
export const prose: ESLint.Plugin = {
  meta: { name: 'prose' },
  rules: {
    comments,
    'test-names': testNames,
    'markdown-text': markdownText,
    'markdown-width': markdownWidth,
  },
};

// oxlint loads the default export.
export default prose;
