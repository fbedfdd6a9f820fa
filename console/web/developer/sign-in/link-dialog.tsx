import { texts } from '../../texts/index.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';

/** Shows a new private link until the user confirms that it is saved. */
export function LinkDialog({ link, onSaved }: { link: string; onSaved: () => void }) {
  const text = texts.privateLink;
  return (
    <Dialog title={text.title} isDismissible={false}>
      <p>{text.text}</p>
      <CopyField label={text.label} value={link} autofocus />
      <p class="hint">{text.warning}</p>
      <DialogActions>
        <Button onClick={onSaved}>{text.saved}</Button>
      </DialogActions>
    </Dialog>
  );
}
