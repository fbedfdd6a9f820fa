import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../data/use-action.ts';
import { texts } from '../texts/index.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Problem } from '../ui/notice.tsx';

/** Asks the administrator to confirm an act. */
export function ConfirmDialog({
  title,
  text,
  action,
  typed,
  isDanger = true,
  children,
  onClose,
  act,
}: {
  title: string;
  text: string;
  /** Text of the button. */
  action: string;
  /** Text that the administrator has to type, and the label of the field for it. */
  typed?: { readonly text: string; readonly label: string };
  isDanger?: boolean;
  children?: ComponentChildren;
  onClose: () => void;
  act: () => Promise<void>;
}) {
  const [value, setValue] = useState('');
  const confirm = useAction(act);
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      {children}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed === undefined || value === typed.text) confirm.run();
        }}
      >
        {typed !== undefined && (
          <TextField label={typed.label} value={value} onChange={setValue} isMono autocomplete="off" />
        )}
        <Problem message={confirm.problem} />
        <DialogActions>
          <Button onClick={onClose}>{texts.general.cancel}</Button>
          <Button
            type="submit"
            kind={isDanger ? 'danger' : 'primary'}
            isBusy={confirm.isRunning}
            isDisabled={typed !== undefined && value !== typed.text}
          >
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
