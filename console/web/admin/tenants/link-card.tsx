import { useState } from 'preact/hooks';
import type { AdminLinkView } from '../../../src/responses/administration.ts';
import { useAction } from '../../data/use-action.ts';
import { adminTexts } from '../../texts/admin.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/content.tsx';
import { CopyField } from '../../ui/copy.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/notice.tsx';
import { call } from '../api.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import type { TabProps } from './tab-props.ts';

/**
 * Creates a private link for the developer. If the tenant already has a link, asks for confirmation, because the new
 * link replaces it.
 */
export function LinkCard({ tenant: { name, spec, has_link: hasLink = false }, reload }: TabProps) {
  const text = adminTexts.tenant;
  const [isAsking, setAsking] = useState(false);
  const [link, setLink] = useState<AdminLinkView>();
  const create = async () => {
    const created = await call('POST tenants/:name/link', { params: { name } });
    setAsking(false);
    setLink(created);
    await reload();
  };
  const first = useAction(create);
  return (
    <Card title={text.link}>
      <p>{hasLink ? text.linkExists : text.linkText}</p>
      <Problem message={first.problem} />
      <div class="actions-row">
        <Button onClick={hasLink ? () => setAsking(true) : first.run} isBusy={first.isRunning}>
          {hasLink ? text.replaceLink : text.createLink}
        </Button>
      </div>
      {isAsking && (
        <ConfirmDialog
          title={text.replaceLinkTitle(spec.displayName)}
          text={text.replaceLinkText}
          action={text.replaceLink}
          onClose={() => setAsking(false)}
          act={create}
        />
      )}
      {link !== undefined && <NewLink link={link} onClose={() => setLink(undefined)} />}
    </Card>
  );
}

/** Shows a new link, which the console cannot show again. */
function NewLink({ link: { url, path }, onClose }: { link: AdminLinkView; onClose: () => void }) {
  const text = adminTexts.tenant;
  return (
    <Dialog title={text.linkTitle} isDismissible={false}>
      <p>{text.linkOnce}</p>
      <CopyField label={text.linkLabel} value={url ?? path} autofocus />
      {url === null && <p class="hint">{text.linkHint}</p>}
      <DialogActions>
        <Button kind="primary" onClick={onClose}>
          {text.done}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
