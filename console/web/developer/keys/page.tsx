import { useState } from 'preact/hooks';
import type { CreatedKey, ListedKey } from '../../../src/responses.ts';
import { useLoad } from '../../data/use-load.ts';
import { texts } from '../../texts/index.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Empty, Page, Skeleton } from '../../ui/content.tsx';
import { LoadFailure, Notice } from '../../ui/notice.tsx';
import { mayDevelop, useAccount } from '../account-context.ts';
import { call } from '../api.ts';
import { CreateKeyDialog } from './create.tsx';
import { KeyTable } from './key-table.tsx';
import { RevokeDialog } from './revoke.tsx';
import { RotateDialog } from './rotate.tsx';

type Open = { readonly name: 'create' } | { readonly name: 'rotate' | 'revoke'; readonly key: ListedKey };

/** The API keys of the account. */
export function KeysPage() {
  const { account, showKey } = useAccount();
  const [open, setOpen] = useState<Open>();
  const keys = useLoad('keys', () => call('GET keys'));
  const text = texts.keys;
  const isActive = account.state === 'Active';
  const close = () => setOpen(undefined);
  const onCreated = (created: CreatedKey, old?: ListedKey) => {
    close();
    showKey(created, old);
    void keys.reload();
  };
  const create = (
    <Button kind="primary" icon="plus" isDisabled={!isActive} onClick={() => setOpen({ name: 'create' })}>
      {text.create}
    </Button>
  );
  const list = (keys.data?.data ?? []).toSorted((a, b) => (b.created_at ?? '').localeCompare(a.created_at ?? ''));
  return (
    <Page title={text.title} lead={text.lead} actions={mayDevelop(account) && list.length > 0 && create}>
      {keys.data?.ledger_available === false && <Notice tone="warning">{text.ledgerUnavailable}</Notice>}
      {keys.error !== undefined && <LoadFailure error={keys.error} onRetry={() => void keys.reload()} />}
      {keys.data === undefined && keys.error === undefined && (
        <Card isFlush>
          <Skeleton />
        </Card>
      )}
      {keys.data !== undefined && (
        <Card isFlush>
          {list.length === 0 ? (
            <Empty
              title={text.empty}
              text={isActive ? text.emptyText : text.notActive}
              action={mayDevelop(account) && create}
            />
          ) : (
            <KeyTable
              keys={list}
              isUseKnown={keys.data.ledger_available}
              mayChange={mayDevelop(account)}
              onRotate={(key) => setOpen({ name: 'rotate', key })}
              onRevoke={(key) => setOpen({ name: 'revoke', key })}
            />
          )}
        </Card>
      )}
      {open?.name === 'create' && (
        <CreateKeyDialog onClose={close} onCreated={onCreated} onLost={() => void keys.reload()} />
      )}
      {open?.name === 'rotate' && <RotateDialog old={open.key} onClose={close} onCreated={onCreated} />}
      {open?.name === 'revoke' && <RevokeDialog revoked={open.key} onClose={close} onRevoked={keys.reload} />}
    </Page>
  );
}
