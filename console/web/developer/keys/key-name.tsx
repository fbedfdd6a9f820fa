import type { ListedKey } from '../../../src/responses.ts';

/** The name of a key in a table, with its last four characters after it. */
export function KeyName({ listed: { name, last_four: lastFour } }: { listed: ListedKey }) {
  const characters = <span class="mono">{`…${lastFour}`}</span>;
  if (name === '') return characters;
  return (
    <>
      {name} <span class="faint small">{characters}</span>
    </>
  );
}
