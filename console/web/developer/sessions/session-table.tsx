import type { ListedKey, SessionRow } from '../../../src/responses.ts';
import { formatAudio, formatDateTime, formatExactAudio } from '../../data/format.ts';
import { texts } from '../../texts/index.ts';
import { Badge } from '../../ui/content.tsx';
import { Table } from '../../ui/table.tsx';
import { keyLabel } from '../keys/describe.ts';
import { KeyName } from '../keys/key-name.tsx';
import { endText, stateText, stateTone } from './describe.ts';

/** A list of sessions. Each row links to the page of its session. */
export function SessionTable({
  caption,
  sessions,
  keys,
}: {
  caption: string;
  sessions: readonly SessionRow[];
  keys: readonly ListedKey[];
}) {
  const text = texts.sessions;
  return (
    <Table
      caption={caption}
      rows={sessions}
      keyOf={({ id }) => id}
      columns={[
        {
          label: text.created,
          cell: ({ id, created_at: at }) => (
            <a href={`/sessions/${encodeURIComponent(id)}`} aria-label={text.open(formatDateTime(at))}>
              {formatDateTime(at)}
            </a>
          ),
        },
        { label: text.model, cell: ({ model }) => <code>{model}</code> },
        {
          label: text.status,
          cell: (session) => (
            <>
              <Badge tone={stateTone(session.state)}>{stateText(session.state)}</Badge>
              <span class="faint small block">{endText(session)}</span>
            </>
          ),
        },
        { label: text.key, cell: (session) => <Source session={session} keys={keys} /> },
        { label: text.duration, kind: 'number', cell: ({ duration_ms: ms }) => (ms === null ? '–' : formatAudio(ms)) },
        { label: text.audio, kind: 'number', cell: ({ audio_ms: ms }) => formatExactAudio(ms) },
        { label: text.charged, kind: 'number', cell: ({ billable_ms: ms }) => formatAudio(ms) },
      ]}
    />
  );
}

function Source({ session, keys }: { session: SessionRow; keys: readonly ListedKey[] }) {
  const listed = keys.find(({ key_id: id }) => id === session.key_id);
  return listed === undefined ? <>{sourceText(session, keys)}</> : <KeyName listed={listed} />;
}

/** Returns what created a session: its key or, without a key, its source. */
export function sourceText({ source, key_id: keyId }: SessionRow, keys: readonly ListedKey[]): string {
  const text = texts.sessions;
  return keyLabel(keyId, keys) ?? text.sources[source];
}
