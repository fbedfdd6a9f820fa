import { useState } from 'preact/hooks';
import type { OwnTenantView } from '../../../src/responses.ts';
import { formatAudio, formatDateTime, formatNumber } from '../../data/format.ts';
import { useInterval, useLoad } from '../../data/use-load.ts';
import { texts } from '../../texts/index.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card, Empty, Page, Skeleton } from '../../ui/content.tsx';
import { LoadFailure, Notice } from '../../ui/notice.tsx';
import { mayDevelop, useAccount } from '../account-context.ts';
import { call } from '../api.ts';
import { SessionTable } from '../sessions/session-table.tsx';
import { Balance } from './balance.tsx';
import { CreditRequestDialog } from './credit-request.tsx';

const RECENT_SESSIONS = 5;
const REFRESH_MS = 10_000;

/** The start page: credit, live sessions and the latest sessions. */
export function OverviewPage() {
  const { account } = useAccount();
  const [isAsking, setAsking] = useState(false);
  const text = texts.overview;
  // The notice about low credit has its own button to ask for credit, so the page shows no second one.
  const hasNotice = account.credit_low && account.account !== null;
  return (
    <Page
      title={text.title}
      actions={
        mayAsk(account) && !hasNotice && <Button onClick={() => setAsking(true)}>{texts.creditRequest.open}</Button>
      }
    >
      <CreditNotice onAsk={() => setAsking(true)} />
      {account.account === null ? (
        <Notice tone={account.ledger_available ? 'info' : 'warning'}>
          {account.ledger_available ? text.pending : text.unavailable}
        </Notice>
      ) : (
        <div class="grid">
          <Balance credits={account.account.credits} />
          <LiveSessions live={account.account.live_sessions} />
        </div>
      )}
      <RecentSessions />
      {isAsking && <CreditRequestDialog onClose={() => setAsking(false)} />}
    </Page>
  );
}

/** Returns whether the user can ask for credit. The request is stored in the Tenant, so the Tenant must be writable. */
function mayAsk(account: OwnTenantView): boolean {
  return mayDevelop(account) && !account.read_only;
}

/** Warns when the credit is low or used up. */
function CreditNotice({ onAsk }: { onAsk: () => void }) {
  const { account } = useAccount();
  const text = texts.overview;
  const request = account.credit_request;
  const requested = request !== null && <p class="faint">{text.requested(formatDateTime(request.at))}</p>;
  const credits = account.account?.credits;
  if (credits === undefined || !account.credit_low) return <>{requested}</>;
  const actions = mayAsk(account) && (
    <Button kind="primary" onClick={onAsk}>
      {request === null ? texts.creditRequest.open : texts.creditRequest.again}
    </Button>
  );
  const isEmpty = credits.available_ms < 1000;
  return (
    <Notice tone={isEmpty ? 'danger' : 'warning'} title={isEmpty ? text.zeroTitle : text.lowTitle} actions={actions}>
      <p>{isEmpty ? text.zeroText : text.lowText(formatAudio(credits.available_ms))}</p>
      {account.read_only && <p>{text.readOnly}</p>}
      {requested}
    </Notice>
  );
}

function LiveSessions({ live }: { live: number }) {
  const { account } = useAccount();
  const text = texts.overview;
  const { concurrent_sessions: limit, sessions_per_minute: rate } = account.limits;
  return (
    <Card title={text.live}>
      <p>
        <span class="figure">{formatNumber(live)}</span> <span class="faint">{text.liveOf(formatNumber(limit))}</span>
      </p>
      <p class="faint small">{live >= limit ? text.liveFull : text.rates(formatNumber(rate))}</p>
    </Card>
  );
}

function RecentSessions() {
  const text = texts.overview;
  const sessions = useLoad('recent', () => call('GET sessions', { query: { limit: RECENT_SESSIONS } }));
  const keys = useLoad('keys', () => call('GET keys'));
  useInterval(REFRESH_MS, () => void sessions.reload());
  const { data } = sessions;
  const allSessions = (
    <ButtonLink href="/sessions" kind="quiet">
      {text.allSessions}
    </ButtonLink>
  );
  return (
    <Card title={text.recent} isFlush actions={data !== undefined && data.data.length > 0 && allSessions}>
      {data === undefined && sessions.error !== undefined && (
        <LoadFailure error={sessions.error} onRetry={() => void sessions.reload()} />
      )}
      {data === undefined && sessions.error === undefined && <Skeleton />}
      {data?.data.length === 0 && (
        <Empty
          title={text.noSessions}
          text={text.noSessionsText}
          action={<ButtonLink href="/quick-start">{text.toQuickStart}</ButtonLink>}
        />
      )}
      {data !== undefined && data.data.length > 0 && (
        <SessionTable
          caption={text.recent}
          sessions={data.data.slice(0, RECENT_SESSIONS)}
          keys={keys.data?.data ?? []}
        />
      )}
    </Card>
  );
}
