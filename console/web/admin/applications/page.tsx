import { useState } from 'preact/hooks';
import type { AdminTenantView } from '../../../src/responses/administration.ts';
import { formatDateTime, formatRelative } from '../../data/format.ts';
import { useInterval, useLoad } from '../../data/use-load.ts';
import { adminTexts } from '../../texts/admin.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Empty, Page, Skeleton } from '../../ui/content.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { LoadFailure } from '../../ui/notice.tsx';
import { Table } from '../../ui/table.tsx';
import { call } from '../api.ts';
import { useMayChange } from '../rights.ts';
import { ApproveDialog } from './approve.tsx';
import { DecisionNotice } from './decided.tsx';
import type { Decided } from './decided.tsx';
import { DeclineDialog } from './decline.tsx';

const REFRESH_MS = 10_000;

/** Page with the applications that wait for a decision. */
export function ApplicationsPage() {
  const text = adminTexts.applications;
  const [open, setOpen] = useState<{ name: 'approve' | 'decline'; tenant: AdminTenantView }>();
  const [decided, setDecided] = useState<Decided>();
  const mayChange = useMayChange();
  const applications = useLoad('applications', () => call('GET applications'));
  useInterval(REFRESH_MS, () => void applications.reload());
  const close = () => setOpen(undefined);
  const onDecided = (outcome: Decided) => {
    close();
    setDecided(outcome);
    announce(outcome.message);
    void applications.reload();
  };
  const actionsOf = (tenant: AdminTenantView) => (
    <>
      <Button
        kind="primary"
        label={text.approveLabel(tenant.spec.displayName)}
        onClick={() => setOpen({ name: 'approve', tenant })}
      >
        {text.approve}
      </Button>
      <Button label={text.declineLabel(tenant.spec.displayName)} onClick={() => setOpen({ name: 'decline', tenant })}>
        {text.decline}
      </Button>
    </>
  );
  const waiting = applications.data?.data;
  return (
    <Page title={text.title} lead={text.lead}>
      {decided !== undefined && <DecisionNotice decided={decided} />}
      {applications.error !== undefined && (
        <LoadFailure error={applications.error} onRetry={() => void applications.reload()} />
      )}
      {applications.error === undefined && (
        <Card isFlush>
          {waiting === undefined && <Skeleton />}
          {waiting?.length === 0 && <Empty title={text.empty} text={text.emptyText} />}
          {waiting !== undefined && waiting.length > 0 && (
            <Table
              caption={text.title}
              rows={waiting}
              keyOf={({ name }) => name}
              columns={[
                { label: text.applicant, cell: (tenant) => <Applicant tenant={tenant} /> },
                { label: text.use, cell: ({ spec }) => <LongText text={spec.contact?.use ?? '–'} /> },
                {
                  label: text.received,
                  cell: ({ created_at: at }) =>
                    at === null ? '–' : <span title={formatDateTime(at)}>{formatRelative(at)}</span>,
                },
                ...(mayChange ? [{ label: text.actions, kind: 'actions' as const, cell: actionsOf }] : []),
              ]}
            />
          )}
        </Card>
      )}
      {open?.name === 'approve' && <ApproveDialog tenant={open.tenant} onClose={close} onApproved={onDecided} />}
      {open?.name === 'decline' && <DeclineDialog tenant={open.tenant} onClose={close} onDeclined={onDecided} />}
    </Page>
  );
}

function Applicant({ tenant: { name, spec } }: { tenant: AdminTenantView }) {
  return (
    <>
      <a class="strong" href={`/tenants/${encodeURIComponent(name)}`}>
        {spec.displayName}
      </a>
      <span class="faint small block">{[spec.contact?.name, spec.contact?.email].filter(Boolean).join(' · ')}</span>
    </>
  );
}
