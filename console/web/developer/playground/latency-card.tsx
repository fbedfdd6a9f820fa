import { formatLatency } from './format-latency.ts';
import { texts } from '../../texts/index.ts';
import { Card, Facts } from '../../ui/content.tsx';
import { quantile } from './sent-audio.ts';
import type { PlaygroundState } from './state.ts';

/** Measured latency of deltas and finals. */
export function LatencyCard({
  latencies: { delta, final },
  sessionId,
}: Pick<PlaygroundState, 'latencies' | 'sessionId'>) {
  const text = texts.playground;
  return (
    <Card title={text.figures}>
      <Facts
        items={[
          [text.deltaLatency, describe(delta)],
          [text.finalLatency, describe(final)],
          ...(sessionId === undefined
            ? []
            : [
                [
                  text.session,
                  <a key="id" class="mono" href={`/sessions/${sessionId}`}>
                    {sessionId}
                  </a>,
                ] as const,
              ]),
        ]}
      />
      <p class="hint">{text.latencyNote}</p>
    </Card>
  );
}

function describe(values: readonly number[]): string {
  const median = quantile(values, 0.5);
  const slow = quantile(values, 1);
  if (median === undefined || slow === undefined) return texts.playground.notMeasured;
  if (values.length === 1) return formatLatency(median);
  return texts.playground.latencyValue(formatLatency(median), formatLatency(slow), values.length);
}
