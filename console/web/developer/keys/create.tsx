import { useState } from 'preact/hooks';
import type { CreatedKey } from '../../../src/responses.ts';
import { codeOf } from '../../data/api.ts';
import { useAction } from '../../data/use-action.ts';
import { useLoad } from '../../data/use-load.ts';
import { texts } from '../../texts/index.ts';
import { Button } from '../../ui/button.tsx';
import { Choices } from '../../ui/choices.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/notice.tsx';
import { call } from '../api.ts';

const DEFAULT_DAYS = '90';
const MODEL_CHOICES = [
  ['all', texts.keys.allModels],
  ['some', texts.keyDialogs.someModels],
] as const;

/** Creates a key. */
export function CreateKeyDialog({
  onClose,
  onCreated,
  onLost,
}: {
  onClose: () => void;
  /** Called if the response was lost. The request may then have created a key that cannot be shown. */
  onLost: () => void;
  onCreated: (created: CreatedKey) => void;
}) {
  const text = texts.keyDialogs;
  const [name, setName] = useState('');
  const [days, setDays] = useState(DEFAULT_DAYS);
  const [scope, setScope] = useState('');
  const [isLimited, setLimited] = useState(false);
  const [models, setModels] = useState<readonly string[]>([]);
  const available = useLoad('models', () => call('GET models'));
  const create = useAction(async () => {
    if (isLimited && models.length === 0) throw new Error(text.noModel);
    const body = {
      name: name.trim(),
      ...(days !== '' && { expires_in_days: Number(days) }),
      ...(scope !== '' && { scopes: [scope] }),
      ...(isLimited && { models }),
    };
    onCreated(await createKey(body, onLost));
  });
  return (
    <Dialog title={text.createTitle} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          create.run();
        }}
      >
        <TextField
          label={texts.keys.name}
          isOptional
          hint={text.nameHint}
          value={name}
          onChange={setName}
          maxLength={200}
          autofocus
        />
        <div class="fields">
          <SelectField label={text.expiration} value={days} onChange={setDays} choices={text.days} />
          <SelectField
            label={text.permissions}
            value={scope}
            onChange={setScope}
            choices={[['', texts.keys.fullAccess], ...Object.entries(texts.keys.scopes)]}
          />
        </div>
        <SelectField
          label={text.models}
          value={isLimited ? 'some' : 'all'}
          onChange={(value) => setLimited(value === 'some')}
          choices={MODEL_CHOICES}
        />
        {isLimited && (
          <Choices
            label={text.someModels}
            choices={(available.data?.data ?? []).map(({ id, language }) => [id, `${language} · ${id}`])}
            selected={models}
            onChange={setModels}
          />
        )}
        <Problem message={create.problem} />
        <DialogActions>
          <Button onClick={onClose}>{texts.general.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={create.isRunning}>
            {texts.keys.create}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Creates a key. If the response is lost, calls `onLost` and throws an error that explains the problem. */
async function createKey(body: object, onLost: () => void): Promise<CreatedKey> {
  try {
    return await call('POST keys', { body });
  } catch (error) {
    if (codeOf(error) !== 'unreachable') throw error;
    onLost();
    throw new Error(texts.keyDialogs.lost, { cause: error });
  }
}
