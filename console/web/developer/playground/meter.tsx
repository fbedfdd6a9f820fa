import { texts } from '../../texts/index.ts';

const SEGMENTS = 20;

/** Level of the audio as a bar. */
export function Meter({ level }: { level: number }) {
  const lit = Math.round(level * SEGMENTS);
  return (
    <div class="level" role="img" aria-label={texts.playground.level}>
      {Array.from({ length: SEGMENTS }, (_, index) => (
        <span key={index} class={index < lit ? (index >= SEGMENTS - 2 ? 'lit loud' : 'lit') : undefined} />
      ))}
    </div>
  );
}
