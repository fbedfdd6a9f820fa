import type { BenchResult } from './benchmark.ts';

/** Formats the result of a benchmark as lines with aligned numbers. */
export function buildTable(name: string, { ratios, figures }: BenchResult): string {
  const rows = [
    ...Object.entries(ratios).map(([label, value]) => [label, value.toFixed(2), 'ratio'] as const),
    ...Object.entries(figures).map(([label, value]) => [label, formatNumber(value), ''] as const),
  ];
  const labelWidth = Math.max(0, ...rows.map(([label]) => label.length));
  const valueWidth = Math.max(0, ...rows.map(([, value]) => value.length));
  const lines = rows.map(([label, value, note]) =>
    `  ${label.padEnd(labelWidth)}  ${value.padStart(valueWidth)}  ${note}`.trimEnd(),
  );
  return [name, ...lines].join('\n');
}

function formatNumber(value: number): string {
  return Number.isInteger(value)
    ? value.toLocaleString('en')
    : value.toLocaleString('en', { maximumFractionDigits: 2 });
}
