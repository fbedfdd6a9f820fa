import { useState } from 'preact/hooks';
import type { AdminSessionView } from '../../src/responses.ts';
import { withReturnPath } from '../data/provider-path.ts';
import { takeSignInProblem } from '../data/sign-in-problem.ts';
import { useAction } from '../data/use-action.ts';
import { useLoad } from '../data/use-load.ts';
import { adminTexts } from '../texts/admin.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Card } from '../ui/content.tsx';
import { TextField } from '../ui/field.tsx';
import { Notice, Problem } from '../ui/notice.tsx';
import { call } from './api.ts';
import { Front } from './front.tsx';

/** Address that leads to the identity provider. */
const PROVIDER_PATH = '/admin/v1/sign-in/oidc';

/** Signs an administrator in with the admin token, or at the identity provider if one is configured. */
export function SignInPage({
  message,
  onSignedIn,
}: {
  /** Message that explains why the user must sign in. Empty if the user has just opened the page. */
  message: string;
  onSignedIn: (session: AdminSessionView) => void;
}) {
  const text = adminTexts.common;
  const [token, setToken] = useState('');
  const [problem] = useState(takeSignInProblem);
  const methods = useLoad('methods', () => call('GET sign-in'));
  const signIn = useAction(async () => {
    onSignedIn(await call('POST sign-in', { body: { token: token.trim() } }));
  });
  return (
    <Front title={text.signInTitle} lead={text.signInLead}>
      {message !== '' && <Notice>{message}</Notice>}
      {problem !== '' && <Notice tone="danger">{problem}</Notice>}
      {methods.data?.oidc === true && (
        <Card>
          <p>{text.providerText}</p>
          <div class="actions-row">
            <ButtonLink href={withReturnPath(PROVIDER_PATH)} kind="primary">
              {text.provider}
            </ButtonLink>
          </div>
        </Card>
      )}
      <Card>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            signIn.run();
          }}
        >
          <TextField
            type="password"
            label={text.token}
            hint={text.tokenHint}
            value={token}
            onChange={setToken}
            autocomplete="current-password"
            required
          />
          <Problem message={signIn.problem} />
          <Button type="submit" kind="primary" isBusy={signIn.isRunning}>
            {text.signIn}
          </Button>
        </form>
      </Card>
    </Front>
  );
}
