import js from '@eslint/js';
import markdown from '@eslint/markdown';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { style } from './tools/checks/style.ts';
import { prose } from './tools/prose/plugin.ts';

const CODE = ['**/*.mjs', '**/*.js'];

// oxlint runs the same rules on TypeScript (.oxlintrc.json), because ESLint takes several times as long for them.
export default defineConfig(
  { ignores: ['**/*.ts', '**/dist/**', '**/node_modules/**', '.svc-asr/**', 'coverage/**', 'loadtest/results/**'] },
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
    files: ['**/page/*.js'],
    extends: [tseslint.configs.strict, tseslint.configs.stylistic],
    plugins: { style },
    rules: {
      eqeqeq: 'error',
      'no-console': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'style/spreads': 'error',
    },
  },
  {
    files: CODE,
    rules: { 'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }] },
  },
  {
    // Browsers load these scripts, so ESLint type-checks them with tsconfig.page.json, which includes the DOM library.
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
    // Programs for users: they run in browsers or in Node.
    files: ['packages/api-docs/assets/*.js', 'packages/api-docs/samples/*.{js,mjs}'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          ...['AudioContext', 'AudioWorkletNode', 'AudioWorkletProcessor', 'IntersectionObserver', 'WebSocket'],
          ...['console', 'document', 'fetch', 'FormData', 'navigator', 'process', 'registerProcessor', 'setTimeout'],
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
