import type { Channel } from '#domain/channel/channel.ts';
import { derivedId } from '#domain/derived-id.ts';
import type { Post, Variant } from '#domain/post/post.ts';
import { covers, type PublishingHold } from '#domain/publishing-holds.ts';
import { parallelMap } from '#concurrency/parallel-map.ts';
import { partitionOf } from '#ports/log.ts';
import { createLedger, type ArmRow, type Evidence } from '#tables/repositories/ledger.ts';
import { readParkedKey, type ParkedKey } from '#tables/repositories/parking.ts';
import { readHolds } from '#tables/repositories/publishing-holds.ts';
import { readShard } from '#tables/repositories/shards.ts';
import { readChannels } from '#tables/repositories/workspaces.ts';
import { MEDIA_JOBS, PUBLISH, shardOf, WORKSPACE_COMMANDS, type Topic } from '#tables/declarations/topics.ts';
import type { AdminOptions } from '../dependencies.ts';
import { readLogPlaces, type LogPlace, type LogPlaces } from './log-places.ts';
import { readTimersOf, type TimerFact, type TimersOfPost } from './timers-of-post.ts';

export type WhereaboutsOptions = Pick<AdminOptions, 'store' | 'log' | 'due' | 'codec' | 'clock'>;

/** What the ledger has of a Variant, or of the first comment under it. */
export interface LedgerFacts {
  readonly arm: ArmRow | null;
  readonly evidence: readonly Evidence[];
}

export interface ShardFact {
  readonly number: number;
  /** Who claimed it last; null: a release that did not say. */
  readonly owner: string | null;
  /** The first minute that has not fired whole. */
  readonly watermark: number;
}

/** All that the tables and the log say of one Variant, read one after the other: a turn may come between. */
export interface VariantFacts {
  readonly now: number;
  readonly post: Post;
  readonly variant: Variant;
  readonly channel: Channel | null;
  /** The holds that cover it. */
  readonly holds: readonly PublishingHold[];
  readonly ledger: LedgerFacts;
  readonly commentLedger: LedgerFacts | null;
  readonly shard: ShardFact | null;
  readonly timers: readonly TimerFact[];
  /** More timers are due in those minutes than were read. */
  readonly timersLeftOut: boolean;
  /** Keys whose records are held back and that this one needs. */
  readonly parked: readonly ParkedKey[];
  /** Text: why the log could not be asked. */
  readonly log: LogPlaces | string;
}

const READS_AT_ONCE = 16;

/** Of these Variants of a Post. Rejects with `PortError` when the tables are away; a log that is away is a fact. */
export async function readVariantFacts(
  options: WhereaboutsOptions,
  post: Post,
  variants: readonly Variant[],
): Promise<readonly VariantFacts[]> {
  const { store, clock } = options;
  const { workspaceId } = post;
  const [channels, { holds }, shard, log] = await Promise.all([
    readChannels(store, workspaceId),
    readHolds(store),
    shardOfWorkspace(options, workspaceId),
    readLogPlaces(options.log, post, variants),
  ]);
  const ledgers = new Map<string, readonly [LedgerFacts, LedgerFacts | null]>();
  await parallelMap(READS_AT_ONCE, variants, async (variant) => {
    const comment = variant.firstComment === undefined ? null : derivedId(`${variant.id}/first-comment`);
    ledgers.set(variant.id, [
      await readLedger(options, variant.id),
      comment === null ? null : await readLedger(options, comment),
    ]);
  });
  const timers = await readTimersOf(options, post, instantsOf(variants, [...ledgers.values()]));
  const parked = await readParkedOf(options, post, variants);
  return variants.map((variant): VariantFacts => {
    const [ledger, commentLedger] = ledgers.get(variant.id)!;
    return {
      ...{ now: clock.now(), post, variant, channel: channels[variant.channelId] ?? null },
      holds: holds.filter((hold) => covers(hold, { network: variant.network, workspaceId })),
      ...{ ledger, commentLedger, shard, log: placesOf(log, variant) },
      timers: timersOf(timers, variant),
      timersLeftOut: timers.leftOut,
      parked: parked.filter(({ topic, key }) => topic !== PUBLISH[variant.network].name || key === variant.channelId),
    };
  });
}

async function readLedger({ store }: WhereaboutsOptions, ledgerId: string): Promise<LedgerFacts> {
  const ledger = createLedger(store);
  const [arm, evidence] = await Promise.all([ledger.readArm(ledgerId), ledger.attempts(ledgerId)]);
  return { arm, evidence };
}

async function shardOfWorkspace({ store }: WhereaboutsOptions, workspaceId: string): Promise<ShardFact | null> {
  const number = shardOf(workspaceId);
  const row = await readShard(store, number);
  return row === null ? null : { number, owner: row.owner ?? null, watermark: row.minute };
}

/** Around which its timers are looked for. */
function instantsOf(
  variants: readonly Variant[],
  ledgers: readonly (readonly [LedgerFacts, LedgerFacts | null])[],
): readonly number[] {
  const waits = ledgers.flat().map((ledger) => ledger?.arm?.notBefore ?? 0);
  return [...variants.map(({ dueAt }) => dueAt), ...waits.filter((instant) => instant > 0)];
}

function timersOf({ timers }: TimersOfPost, { id }: Variant): readonly TimerFact[] {
  return timers.filter(({ variantIds }) => variantIds === null || variantIds.includes(id));
}

function placesOf(log: LogPlaces | string, { network }: Variant): LogPlaces | string {
  if (typeof log === 'string') return log;
  const isOther = ({ topic }: LogPlace) =>
    Object.values(PUBLISH).some(({ name }) => name === topic) && topic !== PUBLISH[network].name;
  return log.filter((place) => !isOther(place));
}

async function readParkedOf(
  { store }: WhereaboutsOptions,
  { id, workspaceId }: Post,
  variants: readonly Variant[],
): Promise<readonly ParkedKey[]> {
  const keys = new Map<string, { readonly topic: Topic; readonly key: string }>();
  const add = (topic: Topic, key: string): void => void keys.set(`${topic.name} ${key}`, { topic, key });
  add(WORKSPACE_COMMANDS, workspaceId);
  add(MEDIA_JOBS, id);
  for (const { network, channelId } of variants) add(PUBLISH[network], channelId);
  const found: ParkedKey[] = [];
  await parallelMap(READS_AT_ONCE, keys.values(), async ({ topic, key }) => {
    const { flag } = await readParkedKey(store, topic.name, partitionOf(key, topic.partitions), key);
    if (flag !== null) found.push(flag);
  });
  return found;
}
