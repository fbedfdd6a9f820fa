import type { Records } from '../records.ts';
import { describeSaturation } from '../saturation.ts';
import type { Summary } from '../summary.ts';
import { drawChart } from './chart.ts';
import { chartsOf } from './charts.ts';
import { escapeText } from './escape.ts';

const STYLE = `
  :root { color-scheme: light; font: 15px/1.45 system-ui, sans-serif; color: #23211e; background: #f7f6f3 }
  body { max-width: 1180px; margin: 2rem auto; padding: 0 1rem }
  h1 { font-size: 1.5rem; margin: 0 } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem }
  .badge { display: inline-block; padding: .1rem .6rem; border-radius: 1rem; color: #fff; font-size: .9rem; vertical-align: middle }
  .passed { background: #2f7d4f } .failed { background: #b3362b } .void { background: #8a6d1d }
  table { border-collapse: collapse; width: 100%; background: #fff } th, td { padding: .35rem .6rem; text-align: left; border-bottom: 1px solid #e6e3dd }
  td.number, th.number { text-align: right; font-variant-numeric: tabular-nums } .bad { color: #b3362b; font-weight: 600 } .good { color: #2f7d4f }
  .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(420px, 1fr)); gap: 1rem }
  svg { background: #fff; border: 1px solid #e6e3dd; border-radius: 6px; width: 100%; height: auto }
  svg text { font: 11px system-ui, sans-serif; fill: #5d5952 } svg .title { font-size: 13px; font-weight: 600; fill: #23211e }
  svg polyline { stroke-width: 1.6 } svg .grid { stroke: #eceae5 } svg line.limit { stroke: #b3362b; stroke-dasharray: 5 4 } svg text.limit { fill: #b3362b }
  svg line.mark { stroke: #6b5ca5; stroke-dasharray: 5 4 } svg text.mark { fill: #6b5ca5 }
`;

/** Builds the report as one self-contained HTML page. */
export function buildReport(summary: Summary, records: Records): string {
  const { scenario, outcome, saturation } = summary;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Load test: ${escapeText(scenario)}</title><style>${STYLE}</style></head>
<body>
<h1>Load test: ${escapeText(scenario)} <span class="badge ${outcome}">${outcome}</span></h1>
<p>${escapeText(factsOf(summary))}</p>
${saturation === null ? '' : `<p><strong>${escapeText(describeSaturation(saturation))}</strong></p>`}
<h2>Latency targets</h2>
${targetTable(summary)}
<h2>Correctness</h2>
${gateTable(summary)}
<h2>Charts</h2>
<div class="charts">
${chartsOf(summary, records).map(drawChart).join('\n')}
</div>
</body></html>
`;
}

function factsOf(summary: Summary): string {
  const { startedAt, seconds, service, model, streams, declaredSlots, sessions, utterances } = summary;
  const wer = summary.wordErrorRatePercent;
  return [
    `${startedAt}, ${Math.round(seconds)} s, ${service}, ${model}`,
    `${streams} streams, ${declaredSlots === 0 ? 'declared slots unknown' : `${declaredSlots} declared slots`}`,
    `${sessions} sessions, ${utterances} utterances`,
    `word error rate ${wer === null ? '-' : `${wer} %`}`,
    ...Object.entries(summary.refusals).map(([refusal, count]) => `refused ${count} x ${refusal}`),
    ...(summary.slowWorker ? ['the worker was slowed on purpose'] : []),
  ].join('; ');
}

function targetTable({ targets, create, lag, contexts }: Summary): string {
  const ms = (value: number | null) => `<td class="number">${value === null ? '-' : Math.round(value)}</td>`;
  const cells = ({ count, p50, p95, p99, max }: Summary['lag']) =>
    `<td class="number">${count}</td>${ms(p50)}${ms(p95)}${ms(p99)}${ms(max)}`;
  const rows = targets.map(
    ({ quote, met, ...seen }) =>
      `<tr><td>${escapeText(quote)}</td>${cells(seen)}<td class="${met ? 'good' : 'bad'}">${met ? 'met' : 'missed'}</td></tr>`,
  );
  const others = [
    ...Object.entries(contexts).map(([context, seen]) => [`delta with context [${context}]`, seen] as const),
    ['POST /v1/asr/sessions', create] as const,
    ['lag of the generator', lag] as const,
  ].map(([name, seen]) => `<tr><td>${escapeText(name)}</td>${cells(seen)}<td></td></tr>`);
  const head = ['number', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms']
    .map((name) => `<th class="number">${name}</th>`)
    .join('');
  return `<table><tr><th></th>${head}<th></th></tr>${[...rows, ...others].join('\n')}</table>`;
}

function gateTable({ gates }: Summary): string {
  const rows = gates.map(
    ({ name, passed, detail }) =>
      `<tr><td class="${passed ? 'good' : 'bad'}">${passed ? '✓' : '✗'}</td><td>${escapeText(name)}</td><td>${escapeText(detail)}</td></tr>`,
  );
  return `<table>${rows.join('\n')}</table>`;
}
