import { CopyButton } from '../../parts/copyable-id.tsx';
import { VERIFYING_SNIPPET } from './verifying-snippet.ts';

/** How a receiver knows that a delivery is from here. */
export function VerifyingNote() {
  return (
    <details className="webhook-verifying">
      <summary>Check that a delivery is from Crier</summary>
      <p>
        Each delivery is signed with the endpoint’s secret. In Node.js it is checked so. Other languages and what else
        to know, are in the <a href="/developers">developers’ guide</a>.
      </p>
      <div className="webhook-bar">
        <CopyButton text={VERIFYING_SNIPPET} label="Copy the code" isLabelHidden={false} />
      </div>
      <pre tabIndex={0} role="region" aria-label="Code that checks a signature">
        {VERIFYING_SNIPPET}
      </pre>
    </details>
  );
}
