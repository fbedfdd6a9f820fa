import { useState } from 'preact/hooks';
import type { ListedKey, UsageRow } from '../../../src/responses.ts';
import { pathOf } from '../../data/api.ts';
import { formatAudio, formatDay, formatNumber, plural } from '../../data/format.ts';
import { navigate, usePlace } from '../../data/router.ts';
import { useLoad } from '../../data/use-load.ts';
import { texts } from '../../texts/index.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Chart } from '../../ui/chart.tsx';
import { Segments } from '../../ui/choices.tsx';
import { Card, Empty, Page, Skeleton } from '../../ui/content.tsx';
import { LoadFailure } from '../../ui/notice.tsx';
import { Table } from '../../ui/table.tsx';
import { call } from '../api.ts';
import { keyLabel } from '../keys/describe.ts';
import type { UsageGroup } from './group.ts';
import { daysBetween, groupUsage, limitGroups, sourceId } from './group.ts';
import { RangePicker } from './range-picker.tsx';
import { readRange } from './range.ts';

type GroupBy = 'model' | 'key';

/** Charged audio by day, and by model or key. Range and grouping are part of the address. */
export function UsagePage() {
  const { query } = usePlace();
  const [nowMs] = useState(Date.now);
  const text = texts.usage;
  const range = readRange(query, nowMs);
  const by: GroupBy = query.get('by') === 'key' ? 'key' : 'model';
  const { from, to } = range;
  const usage = useLoad(`${from} ${to}`, () => call('GET usage', { query: { from, to } }));
  const keys = useLoad('keys', () => call('GET keys'));
  const set = (change: Readonly<Record<string, string>>) => {
    const kept = range.choice === 'custom' ? { from, to } : { days: range.choice };
    const isRange = 'days' in change || 'from' in change;
    const next = new URLSearchParams({ by, ...(isRange ? {} : kept), ...change });
    navigate(`/usage?${next.toString()}`, { replace: true });
  };
  const csv = `/console/v1/${pathOf('GET usage', { query: { from, to, format: 'csv' } })}`;
  return (
    <Page
      title={text.title}
      lead={text.lead}
      actions={
        <ButtonLink href={csv} icon="download" download="">
          {text.download}
        </ButtonLink>
      }
    >
      <div class="toolbar">
        <RangePicker range={range} nowMs={nowMs} onChange={set} />
        <Segments label={text.group} choices={text.groups} value={by} onChange={(value) => set({ by: value })} />
      </div>
      {usage.error !== undefined && <LoadFailure error={usage.error} onRetry={() => void usage.reload()} />}
      {usage.data === undefined && usage.error === undefined && (
        <Card>
          <Skeleton lines={6} />
        </Card>
      )}
      {usage.data !== undefined && (
        <UsageView rows={usage.data.data} from={from} to={to} by={by} keys={keys.data?.data ?? []} />
      )}
    </Page>
  );
}

function UsageView({
  rows,
  from,
  to,
  by,
  keys,
}: {
  rows: readonly UsageRow[];
  from: string;
  to: string;
  by: GroupBy;
  keys: readonly ListedKey[];
}) {
  const text = texts.usage;
  const days = daysBetween(from, to);
  const groups = groupUsage(rows, by, days);
  if (groups.length === 0) {
    return (
      <Card>
        <Empty title={text.empty} text={text.emptyText} />
      </Card>
    );
  }
  const labelOf = ({ id }: UsageGroup) => {
    if (id === undefined) return text.other;
    if (by === 'model') return id;
    if (id === sourceId('playground')) return text.playground;
    return id === sourceId('api') ? text.noKey : (keyLabel(id, keys) ?? id);
  };
  const charged = formatAudio(groups.reduce((sum, { billableMs }) => sum + billableMs, 0));
  const sessions = groups.reduce((sum, group) => sum + group.sessions, 0);
  const series = limitGroups(groups).map((group) => ({ label: labelOf(group), valuesMs: group.dailyMs }));
  return (
    <>
      <Card title={text.summary(charged, plural(sessions, text.sessionCount))}>
        <Chart days={days} series={series} label={text.chartLabel(formatDay(from), formatDay(to))} />
      </Card>
      <Card isFlush title={by === 'model' ? text.byModel : text.byKey}>
        <Table
          caption={text.title}
          rows={groups}
          keyOf={(group) => String(group.id)}
          columns={[
            { label: by === 'model' ? text.model : text.key, cell: labelOf },
            { label: text.sessions, kind: 'number', cell: (group) => formatNumber(group.sessions) },
            { label: text.audio, kind: 'number', cell: ({ audioMs }) => formatAudio(audioMs) },
            { label: text.charged, kind: 'number', cell: ({ billableMs }) => formatAudio(billableMs) },
          ]}
        />
        <p class="hint table-foot">{text.rounding}</p>
      </Card>
      <DayTable days={days} groups={groups} />
    </>
  );
}

/** The total of each day, for users who cannot see the chart. Days without charged audio are left out. */
function DayTable({ days, groups }: { days: readonly string[]; groups: readonly UsageGroup[] }) {
  const text = texts.usage;
  const rows = days
    .map((day, index) => ({ day, chargedMs: groups.reduce((sum, { dailyMs }) => sum + (dailyMs[index] ?? 0), 0) }))
    .filter(({ chargedMs }) => chargedMs > 0)
    .reverse();
  return (
    <details class="card flush">
      <summary>{text.byDay}</summary>
      <Table
        caption={text.byDay}
        rows={rows}
        keyOf={({ day }) => day}
        columns={[
          { label: text.day, cell: ({ day }) => formatDay(day) },
          { label: text.charged, kind: 'number', cell: ({ chargedMs }) => formatAudio(chargedMs) },
        ]}
      />
    </details>
  );
}
