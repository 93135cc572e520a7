import { CopyButton } from './copyable-id.tsx';
import './section.css';

export interface CopyableTextProps {
  readonly text: string;
  /** "Copy the key". */
  readonly label: string;
}

/** Several words or lines that are copied as a whole: a key, an address, a command. */
export function CopyableText({ text, label }: CopyableTextProps) {
  return (
    <div className="secret">
      <pre dir="auto">{text}</pre>
      <CopyButton text={text} label={label} isLabelHidden={false} />
    </div>
  );
}
