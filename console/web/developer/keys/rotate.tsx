import { useState } from 'preact/hooks';
import type { CreatedKey, ListedKey } from '../../../src/responses.ts';
import { useAction } from '../../data/use-action.ts';
import { texts } from '../../texts/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Problem } from '../../ui/notice.tsx';
import { call } from '../api.ts';
import { nameOf } from './describe.ts';

const DEFAULT_HOURS = '24';

/** Replaces a key by a new one. The old key works for the overlap. */
export function RotateDialog({
  old,
  onClose,
  onCreated,
}: {
  old: ListedKey;
  onClose: () => void;
  onCreated: (created: CreatedKey) => void;
}) {
  const text = texts.keyDialogs;
  const [hours, setHours] = useState(DEFAULT_HOURS);
  const rotate = useAction(async () => {
    onCreated(
      await call('POST keys/:id/rotate', { params: { id: old.key_id }, body: { overlap_hours: Number(hours) } }),
    );
  });
  return (
    <Dialog title={text.rotateTitle(nameOf(old))} onClose={onClose}>
      <p>{text.rotateText}</p>
      <SelectField
        label={text.overlap}
        hint={text.overlapHint}
        value={hours}
        onChange={setHours}
        choices={text.overlaps}
      />
      <Problem message={rotate.problem} />
      <DialogActions>
        <Button onClick={onClose}>{texts.general.cancel}</Button>
        <Button kind="primary" onClick={rotate.run} isBusy={rotate.isRunning}>
          {text.rotate}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
