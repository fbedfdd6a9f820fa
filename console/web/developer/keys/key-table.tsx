import type { ListedKey } from '../../../src/responses.ts';
import { formatDate, formatDateTime, formatRelative } from '../../data/format.ts';
import { texts } from '../../texts/index.ts';
import { Button } from '../../ui/button.tsx';
import { Badge } from '../../ui/content.tsx';
import { Table } from '../../ui/table.tsx';
import { describePermissions, isExpired, keyLabel, nameOf } from './describe.ts';

const SOON_MS = 14 * 86_400_000;

export function KeyTable({
  keys,
  isUseKnown,
  mayChange,
  onRotate,
  onRevoke,
}: {
  keys: readonly ListedKey[];
  /** False if the last use of the keys cannot be read at the moment. */
  isUseKnown: boolean;
  mayChange: boolean;
  onRotate: (key: ListedKey) => void;
  onRevoke: (key: ListedKey) => void;
}) {
  const text = texts.keys;
  const actions = {
    label: text.actions,
    kind: 'actions' as const,
    cell: (key: ListedKey) => <Actions listed={key} onRotate={onRotate} onRevoke={onRevoke} />,
  };
  return (
    <Table
      caption={text.title}
      rows={keys}
      keyOf={({ key_id: id }) => id}
      columns={[
        { label: text.name, cell: (key) => <Name listed={key} keys={keys} /> },
        { label: text.key, cell: (key) => <code>{`${key.prefix}…${key.last_four}`}</code> },
        { label: text.permissions, cell: (key) => <Permissions listed={key} /> },
        { label: text.expires, cell: (key) => <Expiry listed={key} /> },
        { label: text.lastUsed, cell: ({ last_used_at: at }) => <LastUsed at={at} isKnown={isUseKnown} /> },
        ...(mayChange ? [actions] : []),
      ]}
    />
  );
}

function Name({ listed, keys }: { listed: ListedKey; keys: readonly ListedKey[] }) {
  const text = texts.keys;
  const { name, replaces, replaced_by: replacedBy, created_at: createdAt } = listed;
  return (
    <>
      <span class="strong">{name === '' ? text.unnamed : name}</span>
      {createdAt !== null && <span class="faint small block">{`${text.created} ${formatDate(createdAt)}`}</span>}
      {replaces !== null && <span class="faint small block">{text.replaces(shortLabel(replaces, keys))}</span>}
      {replacedBy !== null && (
        <span class="block">
          <Badge tone="warning">{text.replacedBy(shortLabel(replacedBy, keys))}</Badge>
        </span>
      )}
      {listed.read_only && <Badge>{text.readOnly}</Badge>}
    </>
  );
}

/** Returns the last four characters of a key. The list contains no revoked keys. For a revoked key, returns the id. */
function shortLabel(keyId: string, keys: readonly ListedKey[]): string {
  const key = keys.find(({ key_id: id }) => id === keyId);
  return key === undefined ? (keyLabel(keyId, keys) ?? keyId) : `…${key.last_four}`;
}

function Permissions({ listed }: { listed: ListedKey }) {
  return (
    <>
      {describePermissions(listed)}
      {listed.models !== null && <span class="faint small block">{listed.models.join(', ')}</span>}
    </>
  );
}

function Expiry({ listed }: { listed: ListedKey }) {
  const { expires_at: at } = listed;
  if (at === null) return <span class="faint">{texts.general.never}</span>;
  if (isExpired(listed)) return <Badge tone="bad">{texts.keys.expired}</Badge>;
  const isSoon = Date.parse(at) - Date.now() < SOON_MS;
  return (
    <span title={formatDateTime(at)}>
      {formatDate(at)}
      {isSoon && (
        <span class="block">
          <Badge tone="warning">{formatRelative(at)}</Badge>
        </span>
      )}
    </span>
  );
}

function LastUsed({ at, isKnown }: { at: string | null; isKnown: boolean }) {
  if (at === null && !isKnown) return <span class="faint">{texts.keys.unknownUse}</span>;
  if (at === null) return <span class="faint">{texts.general.never}</span>;
  return <span title={formatDateTime(at)}>{formatRelative(at)}</span>;
}

function Actions({
  listed,
  onRotate,
  onRevoke,
}: {
  listed: ListedKey;
  onRotate: (key: ListedKey) => void;
  onRevoke: (key: ListedKey) => void;
}) {
  const text = texts.keys;
  // A file defines the key, so the console can change nothing about it.
  if (listed.read_only) return null;
  const mayRotate = listed.replaced_by === null && !isExpired(listed);
  return (
    <>
      {mayRotate && (
        <Button label={text.rotateLabel(nameOf(listed))} onClick={() => onRotate(listed)}>
          {text.rotate}
        </Button>
      )}
      <Button kind="danger" label={text.revokeLabel(nameOf(listed))} onClick={() => onRevoke(listed)}>
        {text.revoke}
      </Button>
    </>
  );
}
