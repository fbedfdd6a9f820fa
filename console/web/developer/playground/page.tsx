import { useState } from 'preact/hooks';
import './playground.css';
import { useLoad } from '../../data/use-load.ts';
import { texts } from '../../texts/index.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Card, Empty, Page, Skeleton } from '../../ui/content.tsx';
import { LoadFailure, Notice } from '../../ui/notice.tsx';
import type { OwnModelView, OwnTenantView } from '../../../src/responses.ts';
import { mayDevelop, useAccount } from '../account-context.ts';
import { call } from '../api.ts';
import { chosenModel, configOf, conflictOf, firstChoices, MAX_AUDIO_SECONDS } from './choices.ts';
import type { Conflict } from './choices.ts';
import { CodeCard } from './code-card.tsx';
import { EventsCard } from './events-card.tsx';
import { LatencyCard } from './latency-card.tsx';
import { SettingsCard } from './settings-card.tsx';
import { TranscriptCard } from './transcript-card.tsx';
import { useRecognition } from './use-recognition.ts';

/** The playground: recognizes speech from the microphone or from a file, and shows each event. */
export function PlaygroundPage() {
  const { account } = useAccount();
  const models = useLoad('models', () => call('GET models'));
  const text = texts.playground;
  const overview = <ButtonLink href="/">{texts.general.toOverview}</ButtonLink>;
  return (
    <Page title={text.title} lead={text.lead}>
      {!account.playground && <Empty title={text.unavailable} text={text.unavailableText} action={overview} />}
      {account.playground && models.error !== undefined && (
        <LoadFailure error={models.error} onRetry={() => void models.reload()} />
      )}
      {account.playground && models.isLoading && models.data === undefined && (
        <Card>
          <Skeleton />
        </Card>
      )}
      {account.playground && models.data?.data.length === 0 && (
        <Card>
          <Empty title={text.noModels} text={text.noModelsText} action={overview} />
        </Card>
      )}
      {account.playground && models.data !== undefined && models.data.data.length > 0 && (
        <Workbench models={models.data.data} onEnd={() => void models.reload()} />
      )}
    </Page>
  );
}

function Workbench({ models, onEnd }: { models: readonly OwnModelView[]; onEnd: () => void }) {
  const { account, reload } = useAccount();
  const [choices, setChoices] = useState(() => firstChoices(models));
  const { state, level, seconds, start, stop } = useRecognition(() => {
    // If this fails, for example without a network, the balance is refreshed later.
    reload().catch(() => undefined);
    // Reads the models again. If a worker started for this session, the API now knows the latencies of its model.
    onEnd();
  });
  const keys = useLoad('keys', () => call('GET keys'));
  const model = chosenModel(choices, models);
  if (model === undefined) return null;
  const config = configOf(choices, model);
  const conflict = conflictFor(account);
  const isFile = choices.source === 'file';
  const maxAudioSeconds = Math.min(MAX_AUDIO_SECONDS, model.max_audio_seconds);
  return (
    <>
      {!mayDevelop(account) && <Notice>{texts.playground.viewer}</Notice>}
      {mayDevelop(account) && conflict !== undefined && state.phase === 'idle' && (
        <Notice tone={conflict === 'noCredit' ? 'warning' : 'info'}>{texts.playground[conflict]}</Notice>
      )}
      <div class="playground">
        <SettingsCard models={models} model={model} choices={choices} onChange={setChoices} />
        <TranscriptCard
          state={state}
          level={level}
          secondsLeft={Math.max(0, maxAudioSeconds - seconds)}
          isFile={isFile}
          isBlocked={!mayDevelop(account) || conflict === 'noCredit' || (isFile && choices.file === undefined)}
          onStart={() => start({ model: model.id, config, maxAudioSeconds, file: isFile ? choices.file : undefined })}
          onStop={stop}
        />
      </div>
      <LatencyCard latencies={state.latencies} sessionId={state.sessionId} />
      <EventsCard events={state.events} />
      <CodeCard model={model.id} config={config} keys={keys.data?.data ?? []} />
    </>
  );
}

/** Returns why a playground session would be refused, or why another session could be refused because of it. */
function conflictFor({ limits, account }: OwnTenantView): Conflict {
  const live =
    account === null ? undefined : { live: account.live_sessions, availableMs: account.credits.available_ms };
  return conflictOf(limits.concurrent_sessions, live);
}
