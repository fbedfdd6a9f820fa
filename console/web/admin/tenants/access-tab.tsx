import { useState } from 'preact/hooks';
import type { PurgeView } from '../../../src/responses/administration.ts';
import { navigate } from '../../data/router.ts';
import { adminTexts } from '../../texts/admin.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/content.tsx';
import { Notice } from '../../ui/notice.tsx';
import { call } from '../api.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { ApplicationCard } from './application-card.tsx';
import { LinkCard } from './link-card.tsx';
import type { TabProps } from './tab-props.ts';
import { PurgeDialog } from './purge-dialog.tsx';

type Open = 'state' | 'delete' | 'purge';

/** Approves, suspends, resumes, deletes and purges a tenant, and creates its private link. */
export function AccessTab({ tenant, reload }: TabProps) {
  const [open, setOpen] = useState<Open>();
  const [purged, setPurged] = useState<PurgeView>();
  const { name, spec } = tenant;
  const text = adminTexts.tenant;
  const isSuspended = spec.state === 'Suspended';
  const close = () => setOpen(undefined);
  if (purged !== undefined) return <Purged report={purged} />;
  return (
    <>
      <ApplicationCard tenant={tenant} reload={reload} />
      {(isSuspended || spec.state === 'Active') && (
        <Card title={isSuspended ? text.resume : text.suspend}>
          <p>{isSuspended ? text.resumeText : text.suspendText}</p>
          <div class="actions-row">
            <Button kind={isSuspended ? 'primary' : 'danger'} onClick={() => setOpen('state')}>
              {isSuspended ? text.resume : text.suspend}
            </Button>
          </div>
        </Card>
      )}
      <LinkCard tenant={tenant} reload={reload} />
      <Card title={adminTexts.purge.delete}>
        <p>{adminTexts.purge.deleteText}</p>
        <div class="actions-row">
          <Button kind="danger" onClick={() => setOpen('delete')}>
            {adminTexts.purge.delete}
          </Button>
        </div>
      </Card>
      <Card title={adminTexts.purge.purge}>
        <p>{adminTexts.purge.purgeText}</p>
        <div class="actions-row">
          <Button kind="danger" onClick={() => setOpen('purge')}>
            {adminTexts.purge.purge}
          </Button>
        </div>
      </Card>
      {open === 'state' && (
        <ConfirmDialog
          title={isSuspended ? text.resumeTitle(spec.displayName) : text.suspendTitle(spec.displayName)}
          text={isSuspended ? text.resumeText : text.suspendText}
          action={isSuspended ? text.resume : text.suspend}
          isDanger={!isSuspended}
          onClose={close}
          act={async () => {
            await call('PATCH tenants/:name', {
              params: { name },
              body: { state: isSuspended ? 'Active' : 'Suspended' },
            });
            await reload();
            announce(isSuspended ? text.resumed(spec.displayName) : text.suspended(spec.displayName));
            close();
          }}
        />
      )}
      {open === 'delete' && (
        <ConfirmDialog
          title={adminTexts.purge.deleteTitle(spec.displayName)}
          text={adminTexts.purge.deleteText}
          action={adminTexts.purge.delete}
          typed={{ text: name, label: adminTexts.purge.confirm(name) }}
          onClose={close}
          act={async () => {
            await call('DELETE tenants/:name', { params: { name } });
            announce(adminTexts.purge.deleted);
            navigate('/tenants');
          }}
        />
      )}
      {open === 'purge' && <PurgeDialog tenant={tenant} onClose={close} onPurged={setPurged} />}
    </>
  );
}

function Purged({ report }: { report: PurgeView }) {
  const text = adminTexts.purge;
  return (
    <Notice
      tone={report.complete ? 'success' : 'warning'}
      title={text.done}
      focusFor={report}
      actions={<Button onClick={() => navigate('/tenants')}>{text.toTenants}</Button>}
    >
      {report.complete ? text.doneText : text.incomplete}
    </Notice>
  );
}
