import type { AdminTenantView } from '../../../src/responses/administration.ts';
import { formatAudio, formatDate, formatDateTime, formatNumber } from '../../data/format.ts';
import { adminTexts } from '../../texts/admin.ts';
import { Card, Facts } from '../../ui/content.tsx';
import { Notice } from '../../ui/notice.tsx';
import { describeModels } from './page.tsx';

/** Credit, live sessions and the application of a tenant. */
export function OverviewTab({ tenant }: { tenant: AdminTenantView }) {
  const text = adminTexts.tenant;
  const { account, spec } = tenant;
  const { contact = {} } = spec;
  return (
    <>
      {account === null || account === undefined ? (
        tenant.ledger_available && <Notice>{text.noAccount}</Notice>
      ) : (
        <div class="grid">
          <Card title={text.balance}>
            <p class="figure">{formatAudio(account.credits.available_ms)}</p>
            <Facts
              items={[
                [text.held, formatAudio(account.credits.reserved_ms)],
                [text.used, formatAudio(account.credits.consumed_ms)],
                [text.granted, formatAudio(account.credits.granted_ms)],
                ...(account.credits.budget === undefined
                  ? []
                  : ([
                      [text.budget, formatAudio(account.credits.budget.monthly_ms)],
                      [text.budgetLeft, formatAudio(account.credits.budget.remaining_ms)],
                      [text.renews, formatDate(account.credits.budget.renews_at)],
                    ] as const)),
              ]}
            />
          </Card>
          <Card title={text.live}>
            <p>
              <span class="figure">{formatNumber(account.live_sessions)}</span>{' '}
              <span class="faint">{`/ ${formatNumber(spec.limits.concurrentSessions)}`}</span>
            </p>
          </Card>
        </div>
      )}
      <Card title={text.details}>
        <Facts
          items={[
            [text.id, <code key="id">{tenant.name}</code>],
            [text.created, tenant.created_at === null ? '–' : formatDateTime(tenant.created_at)],
            [adminTexts.tenants.models, describeModels(spec.models)],
            [text.applicant, contact.name ?? '–'],
            [text.email, contact.email ?? '–'],
            [text.organisation, contact.organisation ?? '–'],
            [
              text.use,
              <span key="use" class="wrap">
                {contact.use ?? '–'}
              </span>,
            ],
            ...(tenant.decline_reason === null ? [] : ([[text.declineReason, tenant.decline_reason]] as const)),
          ]}
        />
      </Card>
    </>
  );
}
