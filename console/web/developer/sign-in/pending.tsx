import { formatDateTime } from '../../data/format.ts';
import { texts } from '../../texts/index.ts';
import { Card, Facts } from '../../ui/content.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useAccount } from '../account-context.ts';
import { LinkCard } from '../account/link-card.tsx';
import { Front } from './front.tsx';
import { SignOut } from './sign-out.tsx';

/** The page of an applicant: the application is pending, or it was declined. */
export function PendingPage() {
  const { account, leave } = useAccount();
  const text = texts.states;
  const isDeclined = account.state === 'Declined';
  const { contact, created_at: createdAt, decline_reason: reason } = account;
  return (
    <Front title={isDeclined ? text.declinedTitle : text.waitingTitle} actions={<SignOut leave={leave} />}>
      <p class="lead">{isDeclined ? text.declinedText : `${text.waitingText} ${text.waitingKeep}`}</p>
      <div class="front-messages">
        {isDeclined && reason !== null && (
          <Notice tone="warning" title={text.declinedReason}>
            {reason}
          </Notice>
        )}
      </div>
      {contact !== null && (
        <Card title={text.application}>
          <Facts
            items={[
              [text.applicant, contact.name ?? account.display_name],
              ...(createdAt === null ? [] : [[text.applied, formatDateTime(createdAt)] as const]),
              [
                text.use,
                <span key="use" class="lines">
                  {contact.use ?? ''}
                </span>,
              ],
            ]}
          />
        </Card>
      )}
      <LinkCard />
    </Front>
  );
}
