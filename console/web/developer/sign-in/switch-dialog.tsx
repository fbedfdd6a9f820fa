import { useAction } from '../../data/use-action.ts';
import { texts } from '../../texts/index.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/notice.tsx';

/**
 * Asks before a private link switches a signed-in user to another tenant, because keys created afterwards belong to
 * that tenant.
 */
export function SwitchDialog({
  current,
  next,
  stay,
  change,
}: {
  current: string;
  next: string;
  stay: () => Promise<void>;
  change: () => Promise<void>;
}) {
  const text = texts.signIn;
  const staying = useAction(stay);
  const changing = useAction(change);
  return (
    <Dialog title={text.switchTitle} onClose={staying.run}>
      <p>{text.switchText(current, next)}</p>
      <Problem message={changing.problem || staying.problem} />
      <DialogActions>
        <Button onClick={staying.run} isBusy={staying.isRunning}>
          {text.stay(current)}
        </Button>
        <Button kind="primary" onClick={changing.run} isBusy={changing.isRunning}>
          {text.switchAction}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
