import { createBoundedMap } from '#concurrency/bounded-map.ts';
import type { Network } from '#domain/network.ts';
import type { Choices, ChoicesAnswer, NetworkChoices } from '#networks/contract/adapter.ts';
import type { Clock } from '#ports/clock.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { Connections, TokensAnswer } from './connections.ts';

export type AccountChoices =
  | { readonly kind: 'ok'; readonly choices: Choices }
  /** A person must connect the Channel again. */
  | { readonly kind: 'needs_reconnect'; readonly detail: string }
  | { readonly kind: 'unavailable'; readonly detail: string };

/** What the account of a Channel may choose from at its Network, at this moment. Never rejects. */
export type ReadAccountChoices = (channel: {
  readonly id: string;
  readonly network: Network;
}) => Promise<AccountChoices>;

export interface AccountChoicesOptions {
  readonly choices: Readonly<Partial<Record<Network, NetworkChoices>>>;
  readonly connections: Pick<Connections, 'tokensFor' | 'refreshNow'>;
  readonly http: HttpClient;
  readonly clock: Pick<Clock, 'now'>;
}

/** A Network that could not tell may do so soon. */
const ASK_AGAIN_MS = 5_000;
const MAX_ACCOUNTS = 1_000;

interface Asked {
  readonly from: number;
  readonly until: number;
  readonly answer: Promise<AccountChoices>;
}

/**
 * Asks the Network, and keeps its answer for as long as the Network's `freshForMs`, or for seconds where it did not
 * tell; requests for one Channel at the same time share one call. A Network whose accounts do not differ is not asked.
 */
export function createAccountChoices(options: AccountChoicesOptions): ReadAccountChoices {
  const asked = createBoundedMap<string, Asked>(MAX_ACCOUNTS);
  return async ({ id, network }) => {
    const own = options.choices[network];
    if (own === undefined) return { kind: 'ok', choices: {} };
    const from = options.clock.now();
    const known = asked.get(id);
    // A clock that was put back makes no answer last longer.
    if (known !== undefined && from >= known.from && from < known.until) return known.answer;
    const answer = ask(id, own, options);
    asked.set(id, { from, until: from + own.freshForMs, answer });
    const settled = await answer;
    if (settled.kind !== 'ok' && asked.get(id)?.answer === answer)
      asked.set(id, { from, until: options.clock.now() + ASK_AGAIN_MS, answer });
    return settled;
  };
}

async function ask(
  channelId: string,
  own: NetworkChoices,
  { connections, http, clock }: AccountChoicesOptions,
): Promise<AccountChoices> {
  const read = ({ accessToken, accountId, username, facts }: Extract<TokensAnswer, { kind: 'ok' }>) =>
    own.read({ http, accessToken, accountId, username, accountFacts: facts, now: clock.now() });
  const tokens = await connections.tokensFor(channelId, own.network);
  if (tokens.kind !== 'ok') return tokens;
  const first = await read(tokens);
  if (first.kind !== 'refused' || first.summary.status !== 401) return answerOf(first);
  const fresh = await connections.refreshNow(channelId, tokens.accessToken);
  return fresh.kind === 'ok' ? answerOf(await read(fresh)) : fresh;
}

function answerOf(answer: ChoicesAnswer): AccountChoices {
  if (answer.kind === 'ok') return { kind: 'ok', choices: answer.choices };
  const kind = answer.kind === 'refused' ? 'needs_reconnect' : 'unavailable';
  return { kind, detail: answer.summary.detail };
}
