import { useState } from 'preact/hooks';
import { withReturnPath } from '../../data/provider-path.ts';
import { useAction } from '../../data/use-action.ts';
import { texts } from '../../texts/index.ts';
import { useLoad } from '../../data/use-load.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/content.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Notice, Problem } from '../../ui/notice.tsx';
import { call } from '../api.ts';
import { Front } from './front.tsx';
import { isInvitation } from './invitation.tsx';
import { PROVIDER_PATH } from './provider-path.ts';
import { SignOut } from './sign-out.tsx';

/** The page for visitors, and for users without a tenant: sign in, or join the waitlist. */
export function Welcome({
  message,
  isProblem,
  isSignedIn,
  signIn,
  onJoined,
  load,
  leave,
}: {
  message: string;
  isProblem: boolean;
  /** True if the user is signed in without a tenant. */
  isSignedIn: boolean;
  signIn: (token: string) => Promise<void>;
  onJoined: (token: string) => void;
  load: () => Promise<void>;
  leave: (message: string) => void;
}) {
  const text = texts.signIn;
  return (
    <Front title={text.title} lead={text.lead} isNarrow={false} actions={isSignedIn && <SignOut leave={leave} />}>
      <div class="front-messages">
        {message !== '' && <Notice tone={isProblem ? 'danger' : 'info'}>{message}</Notice>}
      </div>
      <div class="front-columns">
        <div>
          {!isSignedIn && <SignInCard signIn={signIn} />}
          <ul class="points">
            {text.points.map((point) => (
              <li key={point}>
                <Icon name="check" />
                <span>{point}</span>
              </li>
            ))}
          </ul>
        </div>
        <JoinForm onJoined={onJoined} load={load} />
      </div>
    </Front>
  );
}

function SignInCard({ signIn }: { signIn: (token: string) => Promise<void> }) {
  const text = texts.signIn;
  const methods = useLoad('methods', () => call('GET sign-in'));
  const [link, setLink] = useState('');
  const action = useAction(async () => {
    const token = link.trim().split('#').at(-1) ?? '';
    if (token === '') throw new Error(text.noLink);
    if (isInvitation(token)) throw new Error(text.invitationLink);
    await signIn(token);
  });
  return (
    <Card title={text.signInTitle}>
      {methods.data?.oidc === true && (
        <>
          <ButtonLink href={withReturnPath(PROVIDER_PATH)} kind="primary">
            {text.withAccount}
          </ButtonLink>
          <p class="faint divider">{text.orLink}</p>
        </>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          action.run();
        }}
      >
        <TextField
          label={text.link}
          hint={text.lostLink}
          value={link}
          onChange={setLink}
          required
          isMono
          autocomplete="off"
          placeholder={`${location.origin}/#…`}
        />
        <Problem message={action.problem} />
        <Button type="submit" isBusy={action.isRunning}>
          {text.signIn}
        </Button>
      </form>
    </Card>
  );
}

function JoinForm({ onJoined, load }: { onJoined: (token: string) => void; load: () => Promise<void> }) {
  const text = texts.signIn;
  const [values, setValues] = useState({ name: '', email: '', organisation: '', use: '' });
  const set = (change: Partial<typeof values>) => setValues((before) => ({ ...before, ...change }));
  const join = useAction(async () => {
    const [name, email, organisation, use] = [values.name, values.email, values.organisation, values.use].map((each) =>
      each.trim(),
    );
    const body = { name, email, use, ...(organisation !== '' && { organisation }) };
    const { token } = await call('POST applications', { body });
    // The token is null for a user of an identity provider, who does not need a private link.
    if (token !== null) onJoined(token);
    await load();
  });
  return (
    <Card title={text.joinTitle}>
      <p class="faint form-lead">{text.joinText}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          join.run();
        }}
      >
        <TextField
          label={text.name}
          value={values.name}
          onChange={(name) => set({ name })}
          required
          maxLength={200}
          autocomplete="name"
        />
        <TextField
          label={text.email}
          type="email"
          value={values.email}
          onChange={(email) => set({ email })}
          required
          maxLength={320}
          autocomplete="email"
          pattern="[^@]+@[^@]+[.][^@.]+"
          title={text.emailHint}
        />
        <TextField
          label={text.organisation}
          isOptional
          value={values.organisation}
          onChange={(organisation) => set({ organisation })}
          maxLength={200}
          autocomplete="organization"
        />
        <TextArea label={text.use} value={values.use} onChange={(use) => set({ use })} required maxLength={4000} />
        <Problem message={join.problem} />
        <Button type="submit" kind="primary" isBusy={join.isRunning}>
          {text.join}
        </Button>
      </form>
    </Card>
  );
}
