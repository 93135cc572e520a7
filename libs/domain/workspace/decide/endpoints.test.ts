import { describe, expect, it, test } from 'vitest';
import { aWorkspace, DAY, HOUR, type Asking, type Scenario } from '#testing/scenario.ts';
import { listeners, MAX_ENDPOINTS, MAX_SECRETS, ROTATED_SECRET_MS, signing } from '../../webhook/endpoint.ts';
import type { OutcomeType } from '../../webhook/outcome-type.ts';

const URL = 'https://hooks.example.test/in';
const by = (keyId: string) => ({ credential: { kind: 'key', keyId } }) as const;

test('sealed anew its secrets are the same ones, each until its instant; what was rotated meanwhile stays', () => {
  const workspace = aWorkspace();
  const key = workspace.key();
  const endpointId = registered(workspace, key);
  workspace.must({ type: 'RotateEndpointSecret', endpointId, sealedSecret: 'second', ...by(key) });
  const until = workspace.now + ROTATED_SECRET_MS;
  const secrets = [
    { from: 'sealed', to: 'sealed anew' },
    { from: 'a secret of before', to: 'lost' },
  ];
  const resealing = { type: 'ResealEndpoint', endpointId, secrets } as const;
  expect(workspace.tell({ ...resealing, ...by(key) }).result).toMatchObject({ ok: false, code: 'forbidden' });
  expect(workspace.tell(resealing).effects).toEqual([{ kind: 'endpoints-changed' }]);
  expect(workspace.workspace.endpoints[endpointId]!.secrets).toEqual([
    { sealed: 'second', until: null },
    { sealed: 'sealed anew', until },
  ]);
  workspace.must({ type: 'DeleteEndpoint', endpointId, ...by(key) });
  expect(workspace.tell(resealing).result).toMatchObject({ ok: false, code: 'not_found' });
});

function registering(
  workspace: Scenario,
  keyId: string,
  about: { events?: readonly OutcomeType[]; endpointId?: string } = {},
): Asking & { readonly endpointId: string } {
  const { events = ['variant.published', 'variant.failed'], endpointId = workspace.uuid() } = about;
  return { type: 'RegisterEndpoint', endpointId, url: URL, events, sealedSecret: 'sealed', ...by(keyId) };
}

function registered(workspace: Scenario, keyId: string, events?: readonly OutcomeType[]): string {
  const asking = registering(workspace, keyId, events === undefined ? {} : { events });
  workspace.must(asking);
  return asking.endpointId;
}

/** A further Member, with a key that may do everything. */
function member(workspace: Scenario): { readonly memberId: string; readonly keyId: string } {
  const [memberId, keyId] = [workspace.uuid(), workspace.uuid()];
  workspace.must({ type: 'AddMember', memberId, name: 'Bob', email: 'bob@example.test' });
  workspace.must({
    type: 'CreateKey',
    keyId,
    memberId,
    name: "Bob's",
    permissions: ['webhooks:manage'],
    tokenHash: 'h',
  });
  return { memberId, keyId };
}

describe('registering', () => {
  it('makes an active endpoint of the Member behind the key, and readers see it', () => {
    const workspace = aWorkspace();
    const asking = registering(workspace, workspace.key());
    const { effects } = workspace.tell(asking);
    expect(effects).toEqual([{ kind: 'endpoints-changed' }]);
    const [owner] = Object.keys(workspace.workspace.members);
    expect(workspace.workspace.endpoints[asking.endpointId]).toMatchObject({
      url: URL,
      memberId: owner,
      createdAt: workspace.now,
      stoppedAt: null,
      secrets: [{ sealed: 'sealed', until: null }],
    });
  });

  it('an address may be registered twice, and the eleventh endpoint is refused until one is deleted', () => {
    const workspace = aWorkspace();
    const key = workspace.key();
    const ids = Array.from({ length: MAX_ENDPOINTS }, () => registered(workspace, key));
    expect(workspace.tell(registering(workspace, key)).result).toMatchObject({ ok: false, code: 'limit_reached' });
    workspace.must({ type: 'DeleteEndpoint', endpointId: ids[3]!, ...by(key) });
    workspace.must(registering(workspace, key));
    expect(Object.keys(workspace.workspace.endpoints)).toHaveLength(MAX_ENDPOINTS);
  });
});

const ASKED = {
  register: (workspace, _endpointId, keyId) => registering(workspace, keyId),
  delete: (_workspace, endpointId, keyId) => ({ type: 'DeleteEndpoint', endpointId, ...by(keyId) }),
  rotate: (_workspace, endpointId, keyId) => ({
    type: 'RotateEndpointSecret',
    endpointId,
    sealedSecret: 'newer',
    ...by(keyId),
  }),
  test: (workspace, endpointId, keyId) => ({
    type: 'SendTestEvent',
    endpointId,
    eventId: workspace.uuid(),
    eventType: 'variant.failed',
    createdAt: workspace.now,
    body: '{}',
    ...by(keyId),
  }),
  replay: (workspace, endpointId, keyId) => ({
    type: 'ReplayDelivery',
    endpointId,
    deliveryId: workspace.uuid(),
    round: workspace.uuid(),
    askedAt: workspace.now,
    ...by(keyId),
  }),
} satisfies Record<string, (workspace: Scenario, endpointId: string, keyId: string) => Asking>;

/** What changes nothing of the endpoint, and is handed on to who delivers. */
const ON_DEMAND = ['test', 'replay'] as const;

const KEYS = {
  'a key that may': { key: (workspace: Scenario) => workspace.key(['webhooks:manage']), code: null },
  'a key without the permission': { key: (workspace: Scenario) => workspace.key(['posts:publish']), code: 'forbidden' },
  'a revoked key': {
    key: (workspace: Scenario) => (
      workspace.must({ type: 'RevokeKey', keyId: workspace.key() }),
      Object.keys(workspace.workspace.keys).at(-1)!
    ),
    code: 'unauthorized',
  },
  'an unknown key': { key: (workspace: Scenario) => workspace.uuid(), code: 'unauthorized' },
} as const;

describe.each(Object.keys(ASKED) as (keyof typeof ASKED)[])('%s', (asked) => {
  it.each(Object.entries(KEYS))('with %s', (_name, { key, code }) => {
    const workspace = aWorkspace();
    const endpointId = registered(workspace, workspace.key());
    const keyId = key(workspace);
    const before = workspace.workspace.endpoints;
    const command = workspace.ask(ASKED[asked](workspace, endpointId, keyId));
    const { result, effects } = workspace.tell(command);
    const caused =
      asked === 'test' || asked === 'replay' ? { kind: 'deliver', command } : { kind: 'endpoints-changed' };
    if (code === null) expect([result?.ok, effects]).toEqual([true, [caused]]);
    else
      expect([result, effects, workspace.workspace.endpoints]).toEqual([
        expect.objectContaining({ ok: false, code }),
        [],
        before,
      ]);
  });
});

it.each(['delete', 'rotate', ...ON_DEMAND] as const)('%s of an endpoint that is not there', (asked) => {
  const workspace = aWorkspace();
  const { result } = workspace.tell(ASKED[asked](workspace, workspace.uuid(), workspace.key()));
  expect(result).toMatchObject({ ok: false, code: 'not_found' });
});

it.each(ON_DEMAND)('%s of an endpoint that was stopped is refused, whichever key asks, and causes nothing', (asked) => {
  const workspace = aWorkspace();
  const keyId = workspace.key();
  const endpointId = registered(workspace, keyId);
  workspace.must({ type: 'RevokeKey', keyId });
  const { result, effects } = workspace.tell(ASKED[asked](workspace, endpointId, workspace.key()));
  expect([result, effects]).toEqual([
    expect.objectContaining({ ok: false, code: 'not_found', message: expect.stringContaining('stopped') }),
    [],
  ]);
});

describe('a rotated secret', () => {
  it('signs beside the new one for a day, and then no more', () => {
    const workspace = aWorkspace();
    const key = workspace.key();
    const endpointId = registered(workspace, key);
    workspace.must({ type: 'RotateEndpointSecret', endpointId, sealedSecret: 'newer', ...by(key) });
    const signs = (at: number) =>
      signing(workspace.workspace.endpoints[endpointId]!.secrets, at).map(({ sealed }) => sealed);
    expect([signs(workspace.now), signs(workspace.now + DAY - 1), signs(workspace.now + DAY)]).toEqual([
      ['newer', 'sealed'],
      ['newer', 'sealed'],
      ['newer'],
    ]);
  });

  it('keeps its own day when there is another rotation, and at most five sign', () => {
    const workspace = aWorkspace();
    const key = workspace.key();
    const endpointId = registered(workspace, key);
    const rotating = { type: 'RotateEndpointSecret', endpointId, sealedSecret: 'newer', ...by(key) } as const;
    for (let count = 1; count < MAX_SECRETS; count++) {
      workspace.must(rotating);
      workspace.now += HOUR;
    }
    expect(workspace.tell(rotating).result).toMatchObject({ ok: false, code: 'limit_reached' });
    workspace.now += DAY - (MAX_SECRETS - 1) * HOUR;
    workspace.must(rotating);
    expect(workspace.workspace.endpoints[endpointId]!.secrets).toHaveLength(MAX_SECRETS);
  });
});

describe('a Member who leaves', () => {
  it('takes along the endpoints that their keys registered, and no others', () => {
    const workspace = aWorkspace();
    const bob = member(workspace);
    const [kept, stopped] = [registered(workspace, workspace.key()), registered(workspace, bob.keyId)];
    const { effects } = workspace.tell({ type: 'RemoveMember', memberId: bob.memberId });
    expect(effects).toContainEqual({ kind: 'endpoints-changed' });
    expect(workspace.workspace.endpoints).toMatchObject({
      [kept]: { stoppedAt: null },
      [stopped]: { stoppedAt: workspace.now },
    });
    expect(listeners(workspace.workspace.endpoints, 'variant.failed')).toEqual([kept]);
  });

  it('without endpoints changes no row of theirs', () => {
    const workspace = aWorkspace();
    const bob = member(workspace);
    const { effects } = workspace.tell({ type: 'RemoveMember', memberId: bob.memberId });
    expect(effects.filter(({ kind }) => kind === 'endpoints-changed')).toEqual([]);
  });
});

describe('a key that is revoked', () => {
  it('takes along what was registered with it, and nothing of the same Member beside', () => {
    const workspace = aWorkspace();
    const [revoked, other] = [workspace.key(), workspace.key()];
    const [stopped, kept] = [registered(workspace, revoked), registered(workspace, other)];
    const { effects } = workspace.tell({ type: 'RevokeKey', keyId: revoked });
    expect(effects).toContainEqual({ kind: 'endpoints-changed' });
    expect(workspace.workspace.endpoints).toMatchObject({
      [kept]: { stoppedAt: null },
      [stopped]: { stoppedAt: workspace.now },
    });
    expect(workspace.tell({ type: 'RevokeKey', keyId: revoked }).effects).toEqual([]);
  });
});

it('an event has for listeners the active endpoints of its type, as they are', () => {
  const workspace = aWorkspace();
  const key = workspace.key();
  const [both, failures] = [registered(workspace, key), registered(workspace, key, ['variant.failed'])];
  expect(listeners(workspace.workspace.endpoints, 'variant.published')).toEqual([both]);
  expect(listeners(workspace.workspace.endpoints, 'variant.failed')).toEqual([both, failures]);
});
