import type { Network } from '#domain/network.ts';
import type { ChannelOptions } from '#domain/post/channel-options.ts';
import { optionFacts } from '../../channel-options/option-words.ts';

export interface VariantOptionsProps {
  readonly network: Network;
  readonly options: ChannelOptions | undefined;
}

/** The choices that the Post makes at this Channel alone; its text and its first comment stand elsewhere. */
export function VariantOptions({ network, options }: VariantOptionsProps) {
  const facts = optionFacts(network, options ?? {});
  if (facts.length === 0) return null;
  return (
    <div>
      <h3>Options</h3>
      <dl className="post-facts">
        {facts.map(({ name, value }) => (
          <div key={name} className="post-fact">
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
