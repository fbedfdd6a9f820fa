import { useState } from 'preact/hooks';
import type { MemberView, Role } from '../../../src/responses.ts';
import { useAction } from '../../data/use-action.ts';
import { texts } from '../../texts/index.ts';
import { announce } from '../../ui/announce.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Problem } from '../../ui/notice.tsx';
import { useAccount } from '../account-context.ts';
import { call } from '../api.ts';
import { nameOf } from './describe.ts';

/** Selects a role. */
export function RoleField({ role, onChange }: { role: Role; onChange: (role: Role) => void }) {
  const text = texts.team;
  return (
    <SelectField
      label={text.role}
      value={role}
      onChange={(value) => onChange(value as Role)}
      choices={Object.entries(text.rights)}
    />
  );
}

/** Changes the role of a member. */
export function RoleDialog({
  member,
  onClose,
  onChanged,
}: {
  member: MemberView;
  onClose: () => void;
  onChanged: () => Promise<void>;
}) {
  const { reload } = useAccount();
  const text = texts.team;
  const [role, setRole] = useState(member.role);
  const change = useAction(async () => {
    await call('PATCH members/:id', { params: { id: member.id }, body: { role } });
    await Promise.all([onChanged(), reload()]);
    announce(text.changed(nameOf(member)));
    onClose();
  });
  return (
    <Dialog title={text.changeTitle(nameOf(member))} onClose={onClose}>
      <RoleField role={role} onChange={setRole} />
      <Problem message={change.problem} />
      <DialogActions>
        <Button onClick={onClose}>{texts.general.cancel}</Button>
        <Button kind="primary" onClick={change.run} isBusy={change.isRunning}>
          {text.save}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
