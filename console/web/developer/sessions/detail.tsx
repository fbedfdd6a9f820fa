import type { SessionDetailView } from '../../../src/responses.ts';
import { formatAudio, formatExactAudio, formatPreciseTime } from '../../data/format.ts';
import { useLoad } from '../../data/use-load.ts';
import { texts } from '../../texts/index.ts';
import { Badge, Card, Facts, Page, Skeleton } from '../../ui/content.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { LoadFailure } from '../../ui/notice.tsx';
import { call } from '../api.ts';
import { endText, stateText, stateTone } from './describe.ts';
import { sourceText } from './session-table.tsx';

/** Shows how one session ended and how its charge was computed. */
export function SessionPage({ params: { id = '' } }: { params: Readonly<Record<string, string>> }) {
  const text = texts.sessionDetail;
  const session = useLoad(id, () => call('GET sessions/:id', { params: { id } }));
  return (
    <Page title={text.title} lead={<code>{id}</code>}>
      <p class="back">
        <a href="/sessions">{text.back}</a>
      </p>
      {session.error !== undefined && <LoadFailure error={session.error} onRetry={() => void session.reload()} />}
      {session.data === undefined && session.error === undefined && <Skeleton lines={6} />}
      {session.data !== undefined && (
        <>
          <Details session={session.data} />
          <Charge session={session.data} />
        </>
      )}
    </Page>
  );
}

function Details({ session }: { session: SessionDetailView }) {
  const text = texts.sessions;
  const keys = useLoad('keys', () => call('GET keys'));
  const { completed_at: completedAt, duration_ms: durationMs, request_id: requestId, close_code: closeCode } = session;
  return (
    <Card title={texts.sessionDetail.facts}>
      <Facts
        items={[
          [
            text.status,
            <Badge key="state" tone={stateTone(session.state)}>
              {stateText(session.state)}
            </Badge>,
          ],
          [text.endReason, endText(session) ?? '–'],
          [text.closeCode, closeText(closeCode, completedAt !== null)],
          [text.model, <code key="model">{session.model}</code>],
          [text.source, text.sources[session.source]],
          ...(session.key_id === null ? [] : [[text.key, sourceText(session, keys.data?.data ?? [])] as const]),
          [text.created, formatPreciseTime(session.created_at)],
          [text.completed, completedAt === null ? text.running : formatPreciseTime(completedAt)],
          [text.duration, durationMs === null ? '–' : formatExactAudio(durationMs)],
          [text.id, <Copied key="id" value={session.id} label={text.id} />],
          ...(requestId === null
            ? []
            : [[text.requestId, <Copied key="request" value={requestId} label={text.requestId} />] as const]),
        ]}
      />
    </Card>
  );
}

function Copied({ value, label }: { value: string; label: string }) {
  return (
    <span class="copied">
      <code>{value}</code> <CopyButton text={value} label={label} />
    </span>
  );
}

function closeText(code: number | null, hasEnded: boolean): string {
  const text = texts.sessionDetail;
  if (code === null) return hasEnded ? text.noStream : '–';
  const meaning = text.closeCodes[String(code)];
  return meaning === undefined ? String(code) : `${code} · ${meaning}`;
}

/** Shows how the charge is computed from the audio, so that rounding up to a second does not look like an error. */
function Charge({ session }: { session: SessionDetailView }) {
  const text = texts.sessionDetail;
  const { charge } = session;
  const released = charge.released_ms;
  return (
    <Card title={text.charge}>
      <p>{explanationOf(session)}</p>
      <dl class="sum">
        <div>
          <dt>{text.accepted}</dt>
          <dd>{formatExactAudio(charge.audio_ms)}</dd>
        </div>
        {charge.rule === 'rounded_up_to_second' && charge.billable_ms > charge.audio_ms && (
          <div>
            <dt>{text.roundedUp}</dt>
            <dd>+ {formatExactAudio(charge.billable_ms - charge.audio_ms)}</dd>
          </div>
        )}
        <div class="total">
          <dt>{text.charged}</dt>
          <dd>{formatAudio(charge.billable_ms)}</dd>
        </div>
        {session.reserved_ms !== null && (
          <div>
            <dt>{text.reserved}</dt>
            <dd>{formatAudio(session.reserved_ms)}</dd>
          </div>
        )}
        {released !== null && (
          <div>
            <dt>{text.released}</dt>
            <dd>{formatAudio(released)}</dd>
          </div>
        )}
      </dl>
    </Card>
  );
}

function explanationOf({ charge }: SessionDetailView): string {
  const text = texts.sessionDetail.explanation;
  switch (charge.rule) {
    case 'pending':
      return text.pending;
    case 'not_charged':
      return text.not_charged;
    case 'rounded_up_to_second': {
      const charged = formatAudio(charge.billable_ms);
      if (charge.billable_ms === charge.audio_ms) return text.exact(charged);
      return text.rounded_up_to_second(formatExactAudio(charge.audio_ms), charged);
    }
  }
}
