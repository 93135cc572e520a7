import type { VariantBody } from '#domain/post/render.ts';
import { CopyableId, CopyButton } from '../../parts/copyable-id.tsx';
import { absoluteWords } from '../../parts/time-words.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { attemptWords, clockWords, type AttemptFact } from './attempt-words.ts';

export interface AttemptTimelineProps {
  readonly variant: VariantBody;
  readonly network: string;
  readonly facts: readonly AttemptFact[];
}

/** Every step that was taken, in order, with what the Network answered word for word. */
export function AttemptTimeline({ variant, network, facts }: AttemptTimelineProps) {
  if (facts.length === 0) return null;
  return (
    <details className="attempts" open={variant.status === 'failed'}>
      <summary>
        {facts.length} {facts.length === 1 ? 'step' : 'steps'}, {attempts(facts)}
      </summary>
      <ol className="attempt-steps">
        {facts.map((fact) => (
          <AttemptStep key={`${fact.attempt} ${fact.startedAt} ${fact.step}`} fact={fact} network={network} />
        ))}
      </ol>
    </details>
  );
}

function AttemptStep({ fact, network }: { readonly fact: AttemptFact; readonly network: string }) {
  const { timeZone } = useWorkspace();
  return (
    <li className={`attempt-step attempt-${fact.outcome}`}>
      <time dateTime={fact.startedAt} title={absoluteWords(Date.parse(fact.startedAt), timeZone)}>
        {clockWords(fact.startedAt, timeZone)}
      </time>
      <div>
        <p>
          {attemptWords(fact, network)}
          {fact.finishedAt === null ? null : <span className="post-soft"> · {tookWords(fact)}</span>}
        </p>
        {fact.detail === null || fact.detail === '' ? null : (
          <blockquote className="said">
            <p dir="auto">{fact.detail}</p>
            <CopyButton text={fact.detail} label={`Copy what ${network} said`} />
          </blockquote>
        )}
        {fact.remoteId === null ? null : (
          <p className="post-soft">
            At {network}: <CopyableId id={fact.remoteId} label={`Copy the id at ${network}`} />
          </p>
        )}
      </div>
    </li>
  );
}

function tookWords({ startedAt, finishedAt }: AttemptFact): string {
  const ms = Date.parse(finishedAt!) - Date.parse(startedAt);
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

function attempts(facts: readonly AttemptFact[]): string {
  const count = new Set(facts.map(({ attempt }) => attempt)).size;
  return count === 1 ? 'one attempt' : `${count} attempts`;
}
