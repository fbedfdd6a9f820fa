import type { AdminTenantView, PurgeView } from '../../../src/responses/administration.ts';
import { formatNumber } from '../../data/format.ts';
import { useLoad } from '../../data/use-load.ts';
import { adminTexts } from '../../texts/admin.ts';
import { Facts, Skeleton } from '../../ui/content.tsx';
import { LoadFailure, Notice } from '../../ui/notice.tsx';
import { call } from '../api.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';

/**
 * Shows how many objects of a tenant exist. Purges the tenant after the administrator has typed the name of the tenant.
 */
export function PurgeDialog({
  tenant: { name, spec },
  onClose,
  onPurged,
}: {
  tenant: AdminTenantView;
  onClose: () => void;
  onPurged: (report: PurgeView) => void;
}) {
  const text = adminTexts.purge;
  const found = useLoad(name, () => call('POST tenants/:name/purge', { params: { name }, body: {} }));
  return (
    <ConfirmDialog
      title={text.purgeTitle(spec.displayName)}
      text={text.purgeText}
      action={text.purge}
      typed={{ text: name, label: text.confirm(name) }}
      onClose={onClose}
      act={async () => {
        onPurged(await call('POST tenants/:name/purge', { params: { name }, body: { confirm: true } }));
      }}
    >
      <Notice tone="warning">{text.warning}</Notice>
      {found.error !== undefined && <LoadFailure error={found.error} onRetry={() => void found.reload()} />}
      {found.data === undefined && found.error === undefined && <Skeleton />}
      {found.data !== undefined && <Found report={found.data} />}
    </ConfirmDialog>
  );
}

function Found({ report }: { report: PurgeView }) {
  const kinds = Object.entries(report.remaining).filter(([, count]) => count > 0);
  return (
    <>
      {report.live_sessions > 0 && <Notice tone="danger">{adminTexts.purge.live}</Notice>}
      <Facts items={kinds.map(([kind, count]) => [kind.replaceAll('_', ' '), formatNumber(count)] as const)} />
    </>
  );
}
