import { useState } from 'preact/hooks';
import type { AdminTenantView } from '../../../src/responses/administration.ts';
import { useAction } from '../../data/use-action.ts';
import { useLoad } from '../../data/use-load.ts';
import { adminTexts } from '../../texts/admin.ts';
import { texts } from '../../texts/index.ts';
import { Button } from '../../ui/button.tsx';
import { Choices } from '../../ui/choices.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/notice.tsx';
import { call } from '../api.ts';
import { secondsOf } from '../minutes.ts';
import type { Decided } from './decided.tsx';

/** Entry of `spec.models` that allows all models. */
const ALL_MODELS = '*';

/** Asks for the credit, the models and the session limit of a tenant, and approves its application. */
export function ApproveDialog({
  tenant: { name, spec },
  onClose,
  onApproved,
}: {
  tenant: AdminTenantView;
  onClose: () => void;
  onApproved: (decided: Decided) => void;
}) {
  const text = adminTexts.applications;
  const [minutes, setMinutes] = useState('');
  const [concurrent, setConcurrent] = useState(String(spec.limits.concurrentSessions));
  const [models, setModels] = useState(spec.models.includes(ALL_MODELS) ? undefined : spec.models);
  const approve = useAction(async () => {
    if (models?.length === 0) throw new Error(text.noModel);
    const body = {
      ...(minutes !== '' && { audio_seconds: secondsOf(minutes) }),
      models: models ?? [ALL_MODELS],
      limits: { concurrentSessions: Number(concurrent) },
    };
    const mail = await call('POST applications/:name/approve', { params: { name }, body });
    onApproved({ message: text.approved(spec.displayName), mail });
  });
  return (
    <Dialog title={text.approveTitle(spec.displayName)} onClose={onClose}>
      <p>{text.approveText}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          approve.run();
        }}
      >
        <div class="fields">
          <TextField
            type="number"
            label={text.credit}
            hint={text.creditHint}
            value={minutes}
            onChange={setMinutes}
            min="0"
            step="1"
            autofocus
          />
          <TextField
            type="number"
            label={text.concurrent}
            value={concurrent}
            onChange={setConcurrent}
            min="1"
            step="1"
            required
          />
        </div>
        <ModelChoice selected={models} onChange={setModels} />
        <Problem message={approve.problem} />
        <DialogActions>
          <Button onClick={onClose}>{texts.general.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={approve.isRunning}>
            {text.approve}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Lets the administrator select all models or some of them. */
function ModelChoice({
  selected,
  onChange,
}: {
  /** Undefined if all models are selected. */
  selected: readonly string[] | undefined;
  onChange: (selected: readonly string[] | undefined) => void;
}) {
  const text = adminTexts.applications;
  const models = useLoad('models', () => call('GET models'));
  return (
    <>
      <SelectField
        label={text.models}
        value={selected === undefined ? 'all' : 'some'}
        onChange={(value) => onChange(value === 'some' ? [] : undefined)}
        choices={[
          ['all', text.allModels],
          ['some', text.someModels],
        ]}
      />
      {selected !== undefined && (
        <Choices
          label={text.someModels}
          choices={(models.data?.data ?? []).map((model) => [
            model.name,
            model.language === null ? model.name : `${model.language} · ${model.name}`,
          ])}
          selected={selected}
          onChange={onChange}
        />
      )}
    </>
  );
}
