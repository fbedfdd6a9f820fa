import { useAction } from '../data/use-action.ts';
import { useLoad } from '../data/use-load.ts';
import { texts } from '../texts/index.ts';
import { Badge } from '../ui/content.tsx';
import { SelectField } from '../ui/field.tsx';
import { Problem } from '../ui/notice.tsx';
import { useAccount } from './account-context.ts';
import { call } from './api.ts';

/** The tenant in the navigation. Users with several tenants can select another one. */
export function Identity() {
  const { account, reload } = useAccount();
  const session = useLoad('session', () => call('GET session'));
  const select = useAction(async (tenant: string) => {
    await call('POST session/tenant', { body: { tenant } });
    await reload();
  });
  const tenants = session.data?.tenants ?? [];
  const person = session.data?.person;
  return (
    <>
      {tenants.length > 1 ? (
        <SelectField
          label={texts.account.tenant}
          value={account.name}
          onChange={select.run}
          choices={tenants.map(({ tenant, display_name: name }) => [tenant, name])}
        />
      ) : (
        <p class="identity-name">{account.display_name}</p>
      )}
      <Problem message={select.problem} />
      <p class="identity-state">
        <Badge tone={account.state === 'Active' ? 'good' : 'bad'}>{texts.account.states[account.state]}</Badge>
      </p>
      {person !== undefined && person !== null && <p class="faint small">{person.name ?? person.email}</p>}
    </>
  );
}
