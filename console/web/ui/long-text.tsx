import { useState } from 'preact/hooks';
import { texts } from '../texts/index.ts';

/** Number of characters above which a text is shortened. They fill about six lines of a table. */
const MAX_CHARACTERS = 300;
const MAX_LINES = 6;

/**
 * A text of a user in a list. A long text is shortened, so that the next entry stays in view. A button shows the whole
 * text.
 */
export function LongText({ text }: { text: string }) {
  const [isOpen, setOpen] = useState(false);
  if (text.length <= MAX_CHARACTERS && text.split('\n').length <= MAX_LINES) return <span class="wrap">{text}</span>;
  return (
    <>
      <p class={isOpen ? 'wrap' : 'wrap shortened'}>{text}</p>
      <button type="button" class="button quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span>{isOpen ? texts.general.showLess : texts.general.showAll}</span>
      </button>
    </>
  );
}
