import type { SessionRow } from '../../../src/responses.ts';
import { texts } from '../../texts/index.ts';

type Tone = 'neutral' | 'good' | 'warning' | 'bad' | 'accent';

const TONES: Readonly<Record<string, Tone>> = {
  reserved: 'neutral',
  active: 'accent',
  completed: 'good',
  failed: 'bad',
  expired: 'warning',
};

export function stateText(state: string): string {
  return texts.sessions.states[state] ?? state;
}

export function stateTone(state: string): Tone {
  return TONES[state] ?? 'neutral';
}

/** Describes why a session ended, or that it still runs. Undefined if it ended without a stored reason. */
export function endText({ end_reason: reason, completed_at: completedAt }: SessionRow): string | undefined {
  if (reason !== null) return texts.sessions.endReasons[reason] ?? reason;
  return completedAt === null ? texts.sessions.running : undefined;
}
