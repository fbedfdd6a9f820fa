import type { CreatedKey, ListedKey } from '../../../src/responses.ts';
import { formatDateTime } from '../../data/format.ts';
import { texts } from '../../texts/index.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { isExpired, nameOf } from './describe.ts';

/** Shows a key that was just created, until the user confirms that it is saved. The console cannot show it again. */
export function NewKeyDialog({
  created,
  old,
  onSaved,
}: {
  created: CreatedKey;
  /**
   * Old key that the new key replaces. `expires_at` contains the new expiry of the old key. Undefined if no key is
   * replaced.
   */
  old: ListedKey | undefined;
  onSaved: () => void;
}) {
  const text = texts.keyDialogs;
  return (
    <Dialog title={created.name === '' ? text.newTitle : text.newTitleOf(created.name)} isDismissible={false}>
      <p>{text.newText}</p>
      <CopyField label={text.newLabel} value={created.key} autofocus />
      {!created.active && <p class="hint">{text.soon}</p>}
      {old?.expires_at !== undefined && old.expires_at !== null && (
        <p class="hint">
          {isExpired(old) ? text.replacedNow(nameOf(old)) : text.replaced(nameOf(old), formatDateTime(old.expires_at))}
        </p>
      )}
      <DialogActions>
        <Button onClick={onSaved}>{text.saved}</Button>
      </DialogActions>
    </Dialog>
  );
}
