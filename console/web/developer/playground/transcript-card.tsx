import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../../texts/index.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/content.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Meter } from './meter.tsx';
import type { PlaygroundState } from './state.ts';

/** Buttons that start and stop a recognition, the level of the audio, and the transcript so far. */
export function TranscriptCard({
  state,
  level,
  secondsLeft,
  isFile,
  isBlocked,
  onStart,
  onStop,
}: {
  state: PlaygroundState;
  level: number;
  /** Seconds of audio that the session still accepts. */
  secondsLeft: number;
  /** True if the audio comes from a file. */
  isFile: boolean;
  /** True if a recognition cannot start, for example because no file is chosen. */
  isBlocked: boolean;
  onStart: () => void;
  onStop: () => void;
}) {
  const text = texts.playground;
  const isRunning = state.phase !== 'idle';
  return (
    <Card title={text.transcript}>
      <div class="playground-controls">
        {isRunning ? (
          <Button kind="danger" icon="stop" onClick={onStop}>
            {state.phase === 'finishing' ? text.cancel : text.stop}
          </Button>
        ) : (
          <Button kind="primary" icon={isFile ? 'play' : 'playground'} onClick={onStart} isDisabled={isBlocked}>
            {isFile ? text.startFile : text.start}
          </Button>
        )}
        <Meter level={level} />
        <p class="faint playground-phase" role="status">
          {describePhase(state, isFile)}
        </p>
        {state.phase === 'listening' && (
          <p class="faint numbers" role="timer">
            {text.secondsLeft(secondsLeft)}
          </p>
        )}
      </div>
      <Outcome state={state} />
      <Transcript state={state} />
    </Card>
  );
}

function describePhase({ phase, status }: PlaygroundState, isFile: boolean): string {
  const { phases } = texts.playground;
  // Removes the sentence about the remaining time. It changes every second, and screen readers would read each change.
  if (phase === 'waiting' && status !== '') return status.replace(/ The session ends in .*$/, '');
  if (isFile && phase === 'asking') return phases.opening;
  if (isFile && phase === 'listening') return phases.sending;
  return phases[phase];
}

/** Shows why the recognition failed or ended early. */
function Outcome({ state: { problem, end, phase } }: { state: PlaygroundState }) {
  const { problems, ended, limitReached } = texts.playground;
  if (phase !== 'idle') return null;
  if (problem !== undefined) return <Notice tone="danger">{problems[problem.code] ?? problem.message}</Notice>;
  if (end?.reason === 'audio_limit_reached') return <Notice>{limitReached}</Notice>;
  if (end === undefined || end.isNormal) return null;
  return (
    <Notice tone="warning" title={ended(end.code, end.reason)}>
      {end.isUnopened ? problems.unreachable_stream : `${end.meaning} ${end.action}`}
    </Notice>
  );
}

function Transcript({ state: { finals, partial, phase, end } }: { state: PlaygroundState }) {
  const text = texts.playground;
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [finals.length, partial]);
  const isEmpty = finals.length === 0 && partial === '';
  return (
    <div class="transcript" ref={box} tabIndex={0} role="region" aria-label={text.transcript}>
      <div aria-live="polite">
        {finals.map((final, index) => (
          <p key={index}>{final}</p>
        ))}
      </div>
      {partial !== '' && <p class="partial">{partial}</p>}
      {isEmpty && (
        <p class="faint">{phase === 'idle' && end?.isNormal === true ? text.noSpeech : text.transcriptEmpty}</p>
      )}
    </div>
  );
}
