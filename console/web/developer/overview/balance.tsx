import type { AccountView } from '../../../src/responses.ts';
import { formatAudio, formatDate } from '../../data/format.ts';
import { texts } from '../../texts/index.ts';
import { Card } from '../../ui/content.tsx';

const PARTS = ['available', 'held', 'used'] as const;

/** Shows the credit as a number and as a bar of three parts. */
export function Balance({ credits }: { credits: AccountView['credits'] }) {
  const text = texts.overview;
  const amounts = { available: credits.available_ms, held: credits.reserved_ms, used: credits.consumed_ms };
  const total = Math.max(1, amounts.available + amounts.held + amounts.used);
  const shown = {
    available: formatAudio(amounts.available),
    held: formatAudio(amounts.held),
    used: formatAudio(amounts.used),
  };
  const { budget } = credits;
  return (
    <Card title={text.balance}>
      <p>
        <span class="figure">{shown.available}</span> <span class="faint">{text.left}</span>
      </p>
      <div class="balance" role="img" aria-label={text.barLabel(shown.available, shown.held, shown.used)}>
        {PARTS.filter((part) => amounts[part] > 0).map((part) => (
          <span key={part} class={part} style={{ width: `${(amounts[part] / total) * 100}%` }} />
        ))}
      </div>
      <ul class="legend">
        {PARTS.map((part) => (
          <li key={part}>
            <span class={`key-dot ${part}`} />
            <span class="faint">{text[part]}</span>
            <span class="numbers">{shown[part]}</span>
          </li>
        ))}
      </ul>
      {budget !== undefined && (
        <p class="hint">
          {text.budget(formatAudio(budget.remaining_ms), formatAudio(budget.monthly_ms), formatDate(budget.renews_at))}
        </p>
      )}
      {amounts.held > 0 && <p class="hint">{text.heldHint}</p>}
    </Card>
  );
}
