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
    files: ['**/*.ts', '**/page/*.js'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.check.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
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
    // Browsers load these scripts, so they are checked with the DOM library.
    files: ['**/page/*.js'],
    languageOptions: { parserOptions: { project: './tsconfig.page.json' } },
    // TypeScript reports unknown names and knows those of the browser.
    rules: { 'no-undef': 'off' },
  },
  {
    // The console is the log of k6.
    files: ['loadtest/*.ts', 'loadtest/lib/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.test.ts', 'test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
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
