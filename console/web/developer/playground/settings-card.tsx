import type { OwnModelView } from '../../../src/responses.ts';
import { formatLatency } from './format-latency.ts';
import { texts } from '../../texts/index.ts';
import { Card } from '../../ui/content.tsx';
import { Field, SelectField } from '../../ui/field.tsx';
import { MAX_AUDIO_SECONDS, SILENCES } from './choices.ts';
import type { Choices } from './choices.ts';

/** Controls for the model, the latency, endpointing and the audio. */
export function SettingsCard({
  models,
  model,
  choices,
  onChange,
}: {
  models: readonly OwnModelView[];
  model: OwnModelView;
  choices: Choices;
  onChange: (choices: Choices) => void;
}) {
  const text = texts.playground;
  return (
    <Card title={text.settings}>
      <SelectField
        label={text.model}
        value={model.id}
        onChange={(id) => onChange({ ...choices, model: id, context: '' })}
        choices={models.map(({ id, language }) => [id, `${language} (${id})`] as const)}
      />
      <SelectField
        label={text.latency}
        hint={text.latencyHint}
        value={choices.context}
        onChange={(context) => onChange({ ...choices, context })}
        choices={model.contexts.map(
          ({ context_size: size, chunk_ms: chunkMs, default: isDefault }) =>
            [isDefault ? '' : size.join(','), text.latencyChoice(formatLatency(chunkMs), isDefault)] as const,
        )}
      />
      <SelectField
        label={text.endpointing}
        value={choices.silence}
        onChange={(silence) => onChange({ ...choices, silence })}
        choices={[
          ['', text.endpointingOff],
          ...SILENCES.map((ms) => [String(ms), text.endpointingOn(formatLatency(ms))] as const),
        ]}
      />
      <SelectField
        label={text.source}
        value={choices.source}
        onChange={(source) => onChange({ ...choices, source: source === 'file' ? 'file' : 'microphone' })}
        choices={[
          ['microphone', text.microphone],
          ['file', text.file],
        ]}
      />
      {choices.source === 'file' && (
        <Field label={text.chooseFile} hint={text.fileHint(formatLatency(MAX_AUDIO_SECONDS * 1000))}>
          {(control) => (
            <input
              {...control}
              type="file"
              accept="audio/*,.flac,.wav,.ogg,.opus,.mp3"
              onChange={(event) => onChange({ ...choices, file: event.currentTarget.files?.[0] })}
            />
          )}
        </Field>
      )}
    </Card>
  );
}
