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

/** Returns why a session ended, in words. Undefined while it runs. */
export function endText({ end_reason: reason, completed_at: completedAt }: SessionRow): string | undefined {
  if (reason !== null) return texts.sessions.endReasons[reason] ?? reason;
  return completedAt === null ? texts.sessions.running : undefined;
}
