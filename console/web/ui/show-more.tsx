import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';

/**
 * The foot of a list that is shown in parts: a button for the next part, and after the last part a text. The text then
 * gets the focus, because the button disappears.
 */
export function ShowMore({
  text,
  end,
  hasMore,
  isBusy,
  onMore,
}: {
  /** Text of the button. */
  text: string;
  /** Text after the last part. */
  end: string;
  hasMore: boolean;
  isBusy: boolean;
  onMore: () => void;
}) {
  const [isAsked, setAsked] = useState(false);
  const last = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (!hasMore) last.current?.focus();
  }, [hasMore]);
  if (!hasMore && !isAsked) return null;
  return (
    <div class="table-foot">
      {hasMore ? (
        <Button
          isBusy={isBusy}
          onClick={() => {
            setAsked(true);
            onMore();
          }}
        >
          {text}
        </Button>
      ) : (
        <p ref={last} class="faint small" tabIndex={-1}>
          {end}
        </p>
      )}
    </div>
  );
}
