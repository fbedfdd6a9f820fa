import js from '@eslint/js';
import markdown from '@eslint/markdown';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { prose } from './tools/prose/plugin.ts';

const CODE = ['**/*.ts', '**/*.mjs', '**/*.js'];

export default defineConfig(
  { ignores: ['**/dist/**', '**/node_modules/**', '.svc-asr/**', 'coverage/**', 'loadtest/results/**'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  { files: CODE, extends: [js.configs.recommended] },
  { files: CODE, plugins: { prose }, rules: { 'prose/comments': 'error', 'prose/test-names': 'error' } },
  {
    files: ['**/*.md'],
    plugins: { markdown, prose },
    language: 'markdown/gfm',
    rules: { 'prose/markdown-text': 'error', 'prose/markdown-width': 'error' },
  },
  {
    // oxlint runs the rules that need types (.oxlintrc.json), because ESLint takes four times as long for them.
    files: ['**/*.ts', '**/page/*.js'],
    extends: [tseslint.configs.strict, tseslint.configs.stylistic],
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'separate-type-imports', disallowTypeAnnotations: false },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector:
            ':matches(PropertyDefinition, MethodDefinition[kind!="constructor"])[accessibility=/^(private|public)$/]',
          message: 'Use #name for private members and no modifier for public ones.',
        },
        {
          selector: 'ObjectExpression > SpreadElement > ObjectExpression',
          message: 'List the fields directly instead of spreading an object literal.',
        },
        {
          selector: 'ImportSpecifier[importKind="type"], ExportSpecifier[exportKind="type"]',
          message: 'Use a separate `import type` or `export type` statement.',
        },
      ],
    },
  },
  {
    files: CODE,
    ignores: ['**/*.test.ts'],
    rules: { 'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }] },
  },
  {
    // Browsers load these scripts, so ESLint checks them with a program of their own that has the DOM library.
    files: ['**/page/*.js'],
    extends: [tseslint.configs.strictTypeCheckedOnly, tseslint.configs.stylisticTypeCheckedOnly],
    languageOptions: { parserOptions: { project: './tsconfig.page.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      // TypeScript reports unknown names and knows those of the browser.
      'no-undef': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    // The console is the log of k6.
    files: ['loadtest/*.ts', 'loadtest/lib/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.test.ts', 'test/**/*.ts'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  {
    // Programs for users: they run in browsers or in Node.
    files: ['packages/api-docs/{assets,samples}/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          ...['AudioContext', 'AudioWorkletNode', 'AudioWorkletProcessor', 'IntersectionObserver', 'WebSocket'],
          ...['console', 'document', 'fetch', 'navigator', 'process', 'registerProcessor', 'setTimeout'],
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: Object.fromEntries(
        ['Buffer', 'URL', 'clearInterval', 'console', 'process', 'setInterval', 'setTimeout'].map((name) => [
          name,
          'readonly',
        ]),
      ),
    },
  },
);
