import { useAction } from '../../data/use-action.ts';
import { texts } from '../../texts/index.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/notice.tsx';
import { call } from '../api.ts';

/** The button that ends the session of this browser. */
export function SignOut({ leave }: { leave: (message: string) => void }) {
  const action = useAction(async () => {
    await call('DELETE sign-in');
    leave(texts.signIn.signedOut);
  });
  return (
    <>
      <Button kind="quiet" icon="signOut" onClick={action.run} isBusy={action.isRunning}>
        {texts.navigation.signOut}
      </Button>
      <Problem message={action.problem} />
    </>
  );
}
