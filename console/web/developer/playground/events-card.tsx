import { useEffect, useRef } from 'preact/hooks';
import { formatLatency } from './format-latency.ts';
import { texts } from '../../texts/index.ts';
import { Badge, Card } from '../../ui/content.tsx';
import type { LoggedEvent } from './state.ts';

/** The messages that the page sent and received, newest last. */
export function EventsCard({ events }: { events: readonly LoggedEvent[] }) {
  const text = texts.playground;
  const list = useRef<HTMLOListElement>(null);
  const newest = events.at(-1)?.id;
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [newest]);
  return (
    <Card title={text.events} actions={<span class="faint small">{text.eventsCount(events.length)}</span>}>
      <p class="hint">{events.length === 0 ? text.eventsEmpty : text.eventsText}</p>
      {events.length > 0 && (
        <ol class="events" ref={list} tabIndex={0} aria-label={text.events}>
          {events.map((event) => (
            <EventLine key={event.id} logged={event} />
          ))}
        </ol>
      )}
    </Card>
  );
}

function EventLine({ logged: { atMs, direction, event } }: { logged: LoggedEvent }) {
  const { type, ...fields } = event;
  return (
    <li>
      <span class="faint numbers event-time">{formatLatency(atMs)}</span>
      <Badge tone={direction === 'sent' ? 'neutral' : 'accent'}>{texts.playground[direction]}</Badge>
      <details>
        <summary>
          <code>{type}</code> <span class="faint event-summary">{summarize(fields)}</span>
        </summary>
        <pre>{JSON.stringify({ type, ...fields }, undefined, 2)}</pre>
      </details>
    </li>
  );
}

/** Maximum number of characters of a summary. The details contain the whole message. */
const SUMMARY_CHARACTERS = 80;

function summarize(fields: Readonly<Record<string, unknown>>): string {
  const first = typeof fields.text === 'string' ? fields.text : fields.message;
  const summary = typeof first === 'string' ? first : Object.keys(fields).length === 0 ? '' : JSON.stringify(fields);
  return summary.length > SUMMARY_CHARACTERS ? `${summary.slice(0, SUMMARY_CHARACTERS)}…` : summary;
}
