import type { DecisionMailView } from '../../../src/responses.ts';
import { adminTexts } from '../../texts/admin.ts';
import { CopyField } from '../../ui/copy.tsx';
import { Notice } from '../../ui/notice.tsx';

/** A decision about an application. */
export interface Decided {
  readonly message: string;
  readonly mail: DecisionMailView;
}

/** Shows a decision. If no mail was sent, also shows the link that the administrator can send to the applicant. */
export function DecisionNotice({ decided }: { decided: Decided }) {
  const text = adminTexts.applications;
  const { message, mail } = decided;
  return (
    <Notice tone="success" title={message} focusFor={decided}>
      <p>{mail.mailed ? text.mailed : text.notMailed}</p>
      {!mail.mailed && mail.link_to_send !== null && <CopyField label={text.linkToSend} value={mail.link_to_send} />}
    </Notice>
  );
}
