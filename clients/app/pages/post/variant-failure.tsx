import { useQueryClient } from '@tanstack/react-query';
import type { PostBody, VariantBody } from '#domain/post/render.ts';
import { afterRetry, seenFailuresName } from '../../frame/seen-failures.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copyable-id.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Icon } from '../../parts/icon.tsx';
import { LinkButton } from '../../parts/link-button.tsx';
import { networkName } from '../../parts/network-mark.tsx';
import { showToast } from '../../parts/toast.tsx';
import { keepText, readText } from '../../preferences/preference.ts';
import { serverKey, useServerMutation } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { failureWords, type FailureRemedy } from './failure-words.ts';
import { isolating } from '../../parts/isolating.ts';

export interface VariantFailureProps {
  readonly postId: string;
  readonly variant: VariantBody;
  readonly onChange: () => void;
}

/** Why a Variant failed, and what can be done; of an unconfirmed one, how to find out. */
export function VariantFailure({ postId, variant, onChange }: VariantFailureProps) {
  const { id: workspaceId, role } = useWorkspace();
  const network = networkName(variant.network);
  const channel = variant.channelName === '' ? 'the Channel' : variant.channelName;
  const queryClient = useQueryClient();
  const retry = useServerMutation((to) => to.variants.retry, {
    onSuccess: (retried: VariantBody) => {
      // The answer is newer than what a read may find at once; from here on the Post is read again until it ends.
      queryClient.setQueryData<PostBody>(
        serverKey((from) => from.posts.get, { workspaceId, postId }),
        (post) => post && { ...post, variants: post.variants.map((each) => (each.id === retried.id ? retried : each)) },
      );
      forgetSeenFailure(workspaceId, postId);
      showToast({ message: isolating`${channel} on ${network} is tried again.` });
    },
    onError: onChange,
  });
  const { failureReason, failureDetail } = variant;
  if (variant.status !== 'failed' || failureReason === null) return null;
  const isQuestion = failureReason === 'unconfirmed';
  const words = isQuestion ? unconfirmedWords(network, channel) : failureWords(failureReason, { network, channel });
  const button = (remedy: FailureRemedy, isFirst: boolean) => {
    const look = isFirst ? 'primary' : 'plain';
    switch (remedy) {
      case 'retry':
        return (
          <Button
            key={remedy}
            look={look}
            icon="refresh"
            isPending={retry.isPending}
            onPress={() => retry.mutate({ workspaceId, variantId: variant.id })}
            aria-label={isolating`Retry ${channel} on ${network}`}
          >
            Retry
          </Button>
        );
      case 'reconnect':
        return (
          <LinkButton key={remedy} look={look} icon="plug" to="/channels">
            Reconnect
          </LinkButton>
        );
      case 'write-again':
        return (
          <LinkButton key={remedy} look={look} to="/compose" search={{ copy: postId, only: variant.channelId }}>
            Write again
          </LinkButton>
        );
    }
  };
  return (
    <div className={isQuestion ? 'variant-failure variant-question' : 'variant-failure'}>
      <p className="variant-failure-what">
        <Icon name={isQuestion ? 'question' : 'alert'} /> {words.what}
      </p>
      <p>{words.advice}</p>
      <Said network={network} text={failureDetail ?? ''} />
      {role === 'viewer' ? (
        <p className="post-soft">You look on in this Workspace. An editor or an owner can do something about it.</p>
      ) : (
        <div className="post-buttons">{words.remedies.map((remedy, index) => button(remedy, index === 0))}</div>
      )}
      {retry.error === null ? null : <ErrorPanel isOfChange title="It was not tried again." error={retry.error} />}
    </div>
  );
}

/** Without this, a retried Variant that fails again would count as a failure that the person has seen already. */
function forgetSeenFailure(workspaceId: string, postId: string): void {
  const name = seenFailuresName(workspaceId);
  const kept = readText(name);
  const left = afterRetry(postId, kept);
  if (left !== null && left !== kept) keepText(name, left);
}

/** What the Network said, word for word. */
function Said({ network, text }: { readonly network: string; readonly text: string }) {
  if (text === '') return null;
  return (
    <blockquote className="said" cite={network}>
      <p dir="auto">{text}</p>
      <CopyButton text={text} label={`Copy what ${network} said`} />
    </blockquote>
  );
}

function unconfirmedWords(network: string, channel: string) {
  return {
    what: `Is it live? ${network} did not say whether it took this Post, and could not be asked afterwards.`,
    advice: `It may be live. Look at ${channel} on ${network}. If it is not there, retry: Crier asks ${network} again first, and publishes nothing that it finds there. If it is there, leave it as it is.`,
    remedies: ['retry'] as const,
  };
}
