import { useState } from 'preact/hooks';
import { adminTexts } from '../../texts/admin.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/content.tsx';
import { ApproveDialog } from '../applications/approve.tsx';
import { DecisionNotice } from '../applications/decided.tsx';
import type { Decided } from '../applications/decided.tsx';
import type { TabProps } from './tab-props.ts';

/** Lets the administrator approve an application that waits for a decision or was declined. Then shows the decision. */
export function ApplicationCard({ tenant, reload }: TabProps) {
  const [isOpen, setOpen] = useState(false);
  const [decided, setDecided] = useState<Decided>();
  const text = adminTexts.tenant;
  const { state } = tenant.spec;
  const close = () => setOpen(false);
  return (
    <>
      {decided !== undefined && <DecisionNotice decided={decided} />}
      {(state === 'Waitlisted' || state === 'Declined') && (
        <Card title={text.application}>
          <p>{text.applicationText[state]}</p>
          <div class="actions-row">
            <Button kind="primary" onClick={() => setOpen(true)}>
              {adminTexts.applications.approve}
            </Button>
          </div>
        </Card>
      )}
      {isOpen && (
        <ApproveDialog
          tenant={tenant}
          onClose={close}
          onApproved={(outcome) => {
            close();
            setDecided(outcome);
            announce(outcome.message);
            void reload();
          }}
        />
      )}
    </>
  );
}
