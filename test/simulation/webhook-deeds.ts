import type { OutcomeType } from '#domain/webhook/outcome-type.ts';
import { readEndpoints } from '#tables/repositories/workspaces.ts';
import type { EndpointWithSecret } from '#use-cases/endpoints.ts';
import type { CallerAnswer, SimulatedCaller, Workspace } from './caller.ts';
import type { Dice } from './dice.ts';
import type { DeliveryAskedEntry, EndpointDeletedEntry, EndpointEntry, SecretRotatedEntry } from './history.ts';
import { credentialIdOf, type Recorder } from './recorder.ts';
import { MOODS, type Mood } from './web/receivers.ts';
import type { World } from './world.ts';

/** What a client does with endpoints, and how often in relation to the rest. */
export const WEBHOOK_ACTIONS = {
  'register an endpoint': 1,
  'delete an endpoint': 1,
  'send a test event': 2,
  'deliver again': 2,
  'rotate a secret': 1,
  'break a receiver': 4,
} as const;
export type WebhookAction = keyof typeof WEBHOOK_ACTIONS;

const EVENTS: readonly (readonly OutcomeType[])[] = [
  ['variant.published', 'variant.failed'],
  ['variant.published', 'variant.failed'],
  ['variant.published'],
  ['variant.failed'],
];
const BROKEN_MOODS = MOODS.filter((mood): mood is Exclude<Mood, 'well'> => mood !== 'well');
const MAX_BROKEN_MS = 5 * 60_000;
/** Past the last retry, or a few before it. */
const LONG_BROKEN_MS = { least: 2 * 3_600_000, most: 27 * 3_600_000 } as const;
const RETRY_AFTER_SECONDS = [1, 40, 400, 9_000];

export interface WebhookDeedsOptions {
  readonly world: World;
  readonly recorder: Recorder;
  readonly caller: SimulatedCaller;
}

/** What one client does with the endpoints of its Workspaces. */
export class WebhookDeeds {
  readonly #options: WebhookDeedsOptions;

  constructor(options: WebhookDeedsOptions) {
    this.#options = options;
  }

  async do(deed: WebhookAction, workspace: Workspace, dice: Dice): Promise<void> {
    if (deed === 'register an endpoint') return void (await this.register(workspace, dice));
    if (deed === 'break a receiver') return this.#break(dice);
    const endpoints = this.#endpointsOf(workspace);
    if (endpoints.length === 0) return;
    const { endpointId } = dice.pick(endpoints);
    switch (deed) {
      case 'delete an endpoint':
        return this.#delete(workspace, endpointId!);
      case 'send a test event':
        return this.#test(workspace, endpointId!);
      case 'deliver again':
        return this.#deliverAgain(workspace, endpointId!, dice);
      case 'rotate a secret':
        return this.#rotate(workspace, endpointId!);
    }
  }

  /** Each has a receiver of its own. */
  async register(workspace: Workspace, dice: Dice): Promise<CallerAnswer<EndpointWithSecret>> {
    const { world, recorder, caller } = this.#options;
    const { url } = world.receivers.open();
    const events = dice.pick(EVENTS);
    const entry = recorder.history.add<EndpointEntry>({
      kind: 'endpoint',
      ...recorder.opened(workspace),
      url,
      events,
      credentialId: credentialIdOf(workspace),
      endpointId: null,
      secret: null,
      hidden: null,
    });
    const outcome = await caller.registerEndpoint(workspace, { url, events: [...events] });
    if (outcome?.ok) Object.assign(entry, { endpointId: outcome.value.id, secret: outcome.value.secret });
    recorder.close(entry, outcome);
    if (entry.endpointId !== null && !(await this.#isListed(workspace, entry.endpointId))) entry.hidden = 'no endpoint';
    return outcome;
  }

  async #delete(workspace: Workspace, endpointId: string): Promise<void> {
    const { recorder, caller } = this.#options;
    const entry = recorder.history.add<EndpointDeletedEntry>({
      kind: 'endpoint deleted',
      ...recorder.opened(workspace),
      endpointId,
      hidden: null,
    });
    recorder.close(entry, await caller.deleteEndpoint(workspace, endpointId));
    if (entry.seen === 'ok' && (await this.#isListed(workspace, endpointId))) entry.hidden = 'the endpoint still';
  }

  /** By what every reader is shown, at the moment of the call. */
  async #isListed({ id }: Workspace, endpointId: string): Promise<boolean> {
    return (await readEndpoints(this.#options.world.truth, id))[endpointId] !== undefined;
  }

  async #test(workspace: Workspace, endpointId: string): Promise<void> {
    const { caller } = this.#options;
    const entry = this.#asked(workspace, endpointId);
    const outcome = await caller.sendTestEvent(workspace, endpointId);
    if (outcome?.ok) entry.deliveryId = outcome.value.id;
    this.#options.recorder.close(entry, outcome);
  }

  async #deliverAgain(workspace: Workspace, endpointId: string, dice: Dice): Promise<void> {
    const { world, caller, recorder } = this.#options;
    const deliveries = await world.deliveriesOf(endpointId);
    if (deliveries.length === 0) return;
    const { id } = dice.pick(deliveries);
    const entry = this.#asked(workspace, endpointId);
    const outcome = await caller.replayDelivery(workspace, endpointId, id);
    if (outcome?.ok) entry.deliveryId = id;
    recorder.close(entry, outcome);
  }

  async #rotate(workspace: Workspace, endpointId: string): Promise<void> {
    const { recorder, caller } = this.#options;
    const entry = recorder.history.add<SecretRotatedEntry>({
      kind: 'secret rotated',
      ...recorder.opened(workspace),
      endpointId,
      secret: null,
    });
    const outcome = await caller.rotateEndpointSecret(workspace, endpointId);
    if (outcome?.ok) entry.secret = outcome.value.secret;
    recorder.close(entry, outcome);
  }

  async #break(dice: Dice): Promise<void> {
    const { receivers, engine, receiversStayBroken, trace, witness } = this.#options.world;
    if (receivers.all.length === 0) return;
    const receiver = dice.pick(receivers.all);
    const [mood, retryAfter] = [dice.pick(BROKEN_MOODS), dice.pick(RETRY_AFTER_SECONDS)];
    const forMs =
      receiversStayBroken && dice.chance(0.5)
        ? dice.between(LONG_BROKEN_MS.least, LONG_BROKEN_MS.most)
        : dice.between(5_000, MAX_BROKEN_MS);
    receiver.break({ mood, retryAfter, until: engine.now + forMs });
    witness.count(`receiver ${mood}`);
    trace.add(engine.now, 'client', `${receiver.url} is ${mood} for ${forMs} ms`);
  }

  #asked(workspace: Workspace, endpointId: string): DeliveryAskedEntry {
    const { recorder } = this.#options;
    return recorder.history.add<DeliveryAskedEntry>({
      kind: 'delivery asked for',
      ...recorder.opened(workspace),
      endpointId,
      deliveryId: null,
    });
  }

  /** Those that were registered and not deleted, as far as the clients know. */
  #endpointsOf({ id }: Workspace): readonly EndpointEntry[] {
    const { history } = this.#options.recorder;
    const deleted = new Set(history.of('endpoint deleted').map(({ endpointId }) => endpointId));
    return history
      .of('endpoint')
      .filter(({ workspaceId, endpointId }) => workspaceId === id && endpointId !== null && !deleted.has(endpointId));
  }
}
