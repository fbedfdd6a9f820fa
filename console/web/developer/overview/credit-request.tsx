import { useState } from 'preact/hooks';
import { useAction } from '../../data/use-action.ts';
import { texts } from '../../texts/index.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { Problem } from '../../ui/notice.tsx';
import { useAccount } from '../account-context.ts';
import { call } from '../api.ts';

const SECONDS_PER_HOUR = 3600;
/** Maximum amount of audio that a user may ask for. */
const MAX_SECONDS = 1_000_000_000;

/** Asks the administrator for more credit. */
export function CreditRequestDialog({ onClose }: { onClose: () => void }) {
  const { reload } = useAccount();
  const text = texts.creditRequest;
  const [hours, setHours] = useState('');
  const [message, setMessage] = useState('');
  const send = useAction(async () => {
    const seconds = Math.round(Number(hours) * SECONDS_PER_HOUR);
    if (hours !== '' && !(seconds > 0)) throw new Error(text.invalidHours);
    if (seconds > MAX_SECONDS) throw new Error(text.tooManyHours);
    const body = { message: message.trim(), ...(hours !== '' && { audio_seconds: seconds }) };
    await call('POST credit-requests', { body });
    await reload();
    announce(text.sent);
    onClose();
  });
  return (
    <Dialog title={text.title} onClose={onClose}>
      <p>{text.text}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send.run();
        }}
      >
        <TextArea label={text.message} value={message} onChange={setMessage} required maxLength={1000} />
        <TextField label={text.hours} isOptional type="number" min="0" step="any" value={hours} onChange={setHours} />
        <Problem message={send.problem} />
        <DialogActions>
          <Button onClick={onClose}>{texts.general.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={send.isRunning}>
            {text.send}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
