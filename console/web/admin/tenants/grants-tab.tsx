import { useState } from 'preact/hooks';
import { formatAudio } from '../../data/format.ts';
import { adminTexts } from '../../texts/admin.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Badge, Card, Empty } from '../../ui/content.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Table } from '../../ui/table.tsx';
import { useMayChange } from '../rights.ts';
import type { TabProps } from './tab-props.ts';
import { GrantDialog } from './grant-dialog.tsx';

/** The grants of a tenant, the newest first. */
export function GrantsTab({ tenant, reload }: TabProps) {
  const text = adminTexts.grants;
  const [isGranting, setGranting] = useState(false);
  const [message, setMessage] = useState('');
  const { grants } = tenant.spec;
  const grant = useMayChange() && (
    <Button kind="primary" icon="plus" onClick={() => setGranting(true)}>
      {text.grant}
    </Button>
  );
  return (
    <>
      {message !== '' && <Notice tone="success">{message}</Notice>}
      <Card title={text.title} isFlush actions={grant}>
        {grants.length === 0 ? (
          <Empty title={text.empty} />
        ) : (
          <Table
            caption={text.title}
            rows={grants.toReversed()}
            keyOf={({ id }) => id}
            columns={[
              { label: text.id, cell: ({ id }) => <code>{id}</code> },
              { label: text.note, cell: ({ note }) => note ?? '–' },
              {
                label: text.amount,
                kind: 'number',
                cell: ({ audioSeconds }) =>
                  audioSeconds < 0 ? (
                    <>
                      {`−${formatAudio(-audioSeconds * 1000)}`} <Badge tone="warning">{text.correction}</Badge>
                    </>
                  ) : (
                    formatAudio(audioSeconds * 1000)
                  ),
              },
            ]}
          />
        )}
      </Card>
      {isGranting && (
        <GrantDialog
          tenant={tenant}
          onClose={() => setGranting(false)}
          onGranted={(outcome) => {
            setGranting(false);
            setMessage(outcome);
            announce(outcome);
            void reload();
          }}
        />
      )}
    </>
  );
}
