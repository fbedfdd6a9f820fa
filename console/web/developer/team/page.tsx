import { useState } from 'preact/hooks';
import type { InvitationView, MemberView } from '../../../src/responses.ts';
import { formatRelative } from '../../data/format.ts';
import { useLoad } from '../../data/use-load.ts';
import { texts } from '../../texts/index.ts';
import { Button } from '../../ui/button.tsx';
import { Badge, Card, Empty, Page, Skeleton } from '../../ui/content.tsx';
import { LoadFailure } from '../../ui/notice.tsx';
import { Table } from '../../ui/table.tsx';
import type { Column } from '../../ui/table.tsx';
import { useAccount } from '../account-context.ts';
import { call } from '../api.ts';
import { nameOf } from './describe.ts';
import { InvitationLinkDialog, InviteDialog } from './invite.tsx';
import { RemoveDialog } from './remove.tsx';
import { RoleDialog } from './role.tsx';

type Open =
  | { readonly name: 'invite' }
  | { readonly name: 'link'; readonly created: InvitationView }
  | { readonly name: 'role' | 'remove'; readonly member: MemberView };

/** The members of the account and its pending invitations. Owners can change them. */
export function TeamPage() {
  const { account } = useAccount();
  const [open, setOpen] = useState<Open>();
  const members = useLoad('members', () => call('GET members'));
  const methods = useLoad('sign-in', () => call('GET sign-in'));
  const error = members.error ?? methods.error;
  const reload = () => {
    void members.reload();
    void methods.reload();
  };
  const text = texts.team;
  const isOwner = account.role === 'owner';
  const close = () => setOpen(undefined);
  const list = members.data?.data ?? [];
  const hasProvider = methods.data?.oidc === true;
  const invite = isOwner && hasProvider && (
    <Button kind="primary" icon="plus" onClick={() => setOpen({ name: 'invite' })}>
      {text.invite}
    </Button>
  );
  return (
    <Page title={text.title} lead={text.lead} actions={list.length > 0 && invite}>
      {error !== undefined && <LoadFailure error={error} onRetry={reload} />}
      {error === undefined && (
        <Card isFlush>
          {(members.data === undefined || methods.data === undefined) && <Skeleton />}
          {members.data !== undefined && methods.data !== undefined && list.length === 0 && (
            <Empty title={text.empty} text={hasProvider ? text.emptyText : text.noProvider} action={invite} />
          )}
          {list.length > 0 && (
            <Table
              caption={text.title}
              rows={list}
              keyOf={({ id }) => id}
              columns={[...COLUMNS, ...(isOwner ? [actionsColumn(setOpen)] : [])]}
            />
          )}
        </Card>
      )}
      {open?.name === 'invite' && (
        <InviteDialog
          onClose={close}
          onCreated={(created) => {
            setOpen({ name: 'link', created });
            void members.reload();
          }}
        />
      )}
      {open?.name === 'link' && <InvitationLinkDialog created={open.created} onClose={close} />}
      {open?.name === 'role' && <RoleDialog member={open.member} onClose={close} onChanged={members.reload} />}
      {open?.name === 'remove' && <RemoveDialog member={open.member} onClose={close} onRemoved={members.reload} />}
    </Page>
  );
}

const COLUMNS: readonly Column<MemberView>[] = [
  {
    label: texts.team.member,
    cell: (member) => (
      <>
        {nameOf(member)} {member.is_you && <Badge>{texts.team.you}</Badge>}
        {member.name !== null && member.email !== null && <p class="faint small">{member.email}</p>}
      </>
    ),
  },
  { label: texts.team.role, cell: ({ role }) => texts.account.roles[role] },
  {
    label: texts.team.status,
    cell: ({ invitation }) =>
      invitation === null ? (
        texts.team.active
      ) : (
        <>
          {texts.team.invitedBy(invitation.invited_by)}
          <p class="faint small">{texts.team.expires(formatRelative(invitation.expires_at))}</p>
        </>
      ),
  },
];

function actionsColumn(open: (dialog: Open) => void): Column<MemberView> {
  return {
    label: texts.team.actions,
    kind: 'actions',
    cell: (member) => (
      <>
        {member.invitation === null && (
          <Button label={`${texts.team.changeRole}: ${nameOf(member)}`} onClick={() => open({ name: 'role', member })}>
            {texts.team.changeRole}
          </Button>
        )}
        <Button
          kind="danger"
          label={`${removeText(member)}: ${nameOf(member)}`}
          onClick={() => open({ name: 'remove', member })}
        >
          {removeText(member)}
        </Button>
      </>
    ),
  };
}

function removeText({ invitation }: MemberView): string {
  return invitation === null ? texts.team.remove : texts.team.withdraw;
}
