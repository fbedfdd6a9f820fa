import { CopyButton } from './copy.tsx';

/** Code with a title and a button that copies it. */
export function Code({ title, text }: { title: string; text: string }) {
  return (
    <div class="code">
      <div class="code-bar">
        <span>{title}</span>
        <CopyButton text={text} label={title} kind="on-code" />
      </div>
      {/* Users without a mouse scroll the code with the keyboard. */}
      <pre tabIndex={0} role="region" aria-label={title}>
        {text}
      </pre>
    </div>
  );
}
