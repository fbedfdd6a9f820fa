/** Colours, light and dark. Code is on a dark ground in both. */
export const THEME_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f6f8f9; --line: #e2e8ea; --text: #18242b; --soft: #55656e;
  --accent: #0f766e; --accent-ground: #e6f4f2;
  --good: #15803d; --bad: #b42318; --warn: #9a6700;
  --code-ground: #10202a; --code-bar: #182c38; --code-line: #294050; --code-text: #dbe7ee; --code-soft: #8ba3b3;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --top: 3.5rem;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d151b; --raised: #141f27; --line: #243440; --text: #e3ebf0; --soft: #9db0bc;
    --accent: #5ccdbf; --accent-ground: #12312f;
    --good: #6fd08c; --bad: #ff8f85; --warn: #e3b341;
    --code-ground: #0a1117; --code-bar: #121d25; --code-line: #263744;
  }
}
`;
