import { useAction } from '../../data/use-action.ts';
import { useLoad } from '../../data/use-load.ts';
import { texts } from '../../texts/index.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/content.tsx';
import { Problem } from '../../ui/notice.tsx';
import { useAccount } from '../account-context.ts';
import { call } from '../api.ts';

/**
 * Shows the user who signed in at an identity provider, with a button that ends all sessions of the user. Shows nothing
 * to a developer who signed in with a private link.
 */
export function SessionCard() {
  const { leave } = useAccount();
  const text = texts.account;
  const session = useLoad('session', () => call('GET session'));
  const end = useAction(async () => {
    await call('DELETE session/all');
    leave(texts.signIn.signedOut);
  });
  const person = session.data?.person;
  if (person === undefined || person === null) return null;
  return (
    <Card title={text.signedInAs}>
      <p>{[person.name, person.email].filter((part) => part !== null).join(' · ')}</p>
      <p class="faint">{text.everywhereText}</p>
      <Problem message={end.problem} />
      <div class="actions-row">
        <Button onClick={end.run} isBusy={end.isRunning}>
          {text.everywhere}
        </Button>
      </div>
    </Card>
  );
}
