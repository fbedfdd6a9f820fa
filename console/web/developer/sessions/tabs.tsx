import { texts } from '../../texts/index.ts';

/** Links to the list of sessions and to the list of refused requests. */
export function SessionTabs({ current }: { current: 'sessions' | 'refused' }) {
  const text = texts.sessions;
  return (
    <nav class="tabs" aria-label={text.tabs}>
      <a href="/sessions" aria-current={current === 'sessions' ? 'page' : undefined}>
        {text.ended}
      </a>
      <a href="/sessions/refused" aria-current={current === 'refused' ? 'page' : undefined}>
        {text.refused}
      </a>
    </nav>
  );
}
