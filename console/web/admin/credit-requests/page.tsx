import { useState } from 'preact/hooks';
import type { AdminTenantView } from '../../../src/responses/administration.ts';
import { formatAudio, formatDateTime, formatRelative } from '../../data/format.ts';
import { useLoad } from '../../data/use-load.ts';
import { adminTexts } from '../../texts/admin.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Empty, Page, Skeleton } from '../../ui/content.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { LoadFailure, Notice } from '../../ui/notice.tsx';
import { Table } from '../../ui/table.tsx';
import { call } from '../api.ts';
import { useMayChange } from '../rights.ts';
import { GrantDialog } from '../tenants/grant-dialog.tsx';

/** Tenants that ask for more credit, the oldest request first. */
export function CreditRequestsPage() {
  const text = adminTexts.creditRequests;
  const tenants = useLoad('tenants', () => call('GET tenants'));
  const [granting, setGranting] = useState<AdminTenantView>();
  const [granted, setGranted] = useState<{ readonly message: string }>();
  const mayChange = useMayChange();
  const asking = tenants.data?.data
    .flatMap((tenant) => (tenant.credit_request === null ? [] : [{ tenant, request: tenant.credit_request }]))
    .sort((a, b) => a.request.at.localeCompare(b.request.at));
  const actionOf = ({ tenant }: { tenant: AdminTenantView }) => (
    <Button kind="primary" label={text.grantLabel(tenant.spec.displayName)} onClick={() => setGranting(tenant)}>
      {text.grant}
    </Button>
  );
  return (
    <Page title={text.title} lead={text.lead}>
      {granted !== undefined && (
        <Notice tone="success" focusFor={granted}>
          {granted.message}
        </Notice>
      )}
      {tenants.error !== undefined && <LoadFailure error={tenants.error} onRetry={() => void tenants.reload()} />}
      {tenants.error === undefined && (
        <Card isFlush>
          {asking === undefined && <Skeleton />}
          {asking?.length === 0 && <Empty title={text.empty} text={text.emptyText} />}
          {asking !== undefined && asking.length > 0 && (
            <Table
              caption={text.title}
              rows={asking}
              keyOf={({ tenant }) => tenant.name}
              columns={[
                {
                  label: text.tenant,
                  cell: ({ tenant }) => (
                    <a class="strong" href={`/tenants/${encodeURIComponent(tenant.name)}?tab=grants`}>
                      {tenant.spec.displayName}
                    </a>
                  ),
                },
                { label: text.message, cell: ({ request }) => <LongText text={request.message} /> },
                {
                  label: text.amount,
                  kind: 'number',
                  cell: ({ request: { audio_seconds: seconds } }) =>
                    seconds === null ? '–' : formatAudio(seconds * 1000),
                },
                {
                  label: text.received,
                  cell: ({ request: { at } }) => <span title={formatDateTime(at)}>{formatRelative(at)}</span>,
                },
                ...(mayChange ? [{ label: text.actions, kind: 'actions' as const, cell: actionOf }] : []),
              ]}
            />
          )}
        </Card>
      )}
      {granting !== undefined && (
        <GrantDialog
          tenant={granting}
          onClose={() => setGranting(undefined)}
          onGranted={(message) => {
            setGranting(undefined);
            setGranted({ message });
            announce(message);
            void tenants.reload();
          }}
        />
      )}
    </Page>
  );
}
