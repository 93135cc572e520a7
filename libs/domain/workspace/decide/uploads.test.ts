import { describe, expect, test } from 'vitest';
import { aWorkspace, DAY, MINUTE, type Scenario } from '#testing/scenario.ts';
import { PLAN_LIMITS } from '../../plan/plan.ts';
import type { FileFacts } from '../../media/file-facts.ts';
import { removeAssets } from '../remove-assets.ts';
import type { CompleteUpload } from '../commands.ts';

const BYTES = 1_000;
const facts = (bytes = BYTES): FileFacts => ({
  kind: 'image',
  contentType: 'image/png',
  bytes,
  sha256: 'a'.repeat(64),
  width: 4,
  height: 3,
  durationMs: null,
});

function reserve(scenario: Scenario, bytes = BYTES): string {
  const assetId = scenario.uuid();
  scenario.must({ type: 'ReserveUpload', assetId, filename: 'a.png', contentType: 'image/png', bytes });
  return assetId;
}

const whole = (assetId: string, bytes = BYTES) => ({
  type: 'CompleteUpload' as const,
  assetId,
  file: { blob: `assets/${assetId}/original/1`, facts: facts(bytes) },
  problem: null,
});
const nothing = (assetId: string) => ({ type: 'CompleteUpload' as const, assetId, file: null, problem: null });

function complete(scenario: Scenario, assetId: string): void {
  scenario.must(whole(assetId));
}

const stored = (scenario: Scenario) => scenario.workspace.storage.bytes;
const refusedAs = (code: string) => expect.objectContaining({ ok: false, code });
const removals = (scenario: Scenario) =>
  scenario.effects.flatMap((effect) => (effect.kind === 'remove-files' ? [effect.assetId] : []));

/** As CreatePost leaves an asset it takes. */
function attach(scenario: Scenario, assetId: string): void {
  scenario.assets.set(assetId, {
    ...scenario.assets.get(assetId)!,
    state: 'attached',
    postId: scenario.uuid(),
    expiresAt: null,
  });
}

describe('a reservation', () => {
  test('counts its bytes at once, and says until when the file must have come', () => {
    const scenario = aWorkspace();
    const result = scenario.must({
      type: 'ReserveUpload',
      assetId: scenario.uuid(),
      filename: 'a.mov',
      contentType: 'video/quicktime',
      bytes: BYTES,
    });
    expect(result).toMatchObject({ kind: 'reserved', expiresAt: scenario.now + 15 * MINUTE });
    expect(stored(scenario)).toBe(BYTES);
  });

  test('is refused beyond the Plan, with the one that has room; up to the last byte it is taken', () => {
    const scenario = aWorkspace({ plan: 'free' });
    reserve(scenario, PLAN_LIMITS.free.storageBytes - 1);
    reserve(scenario, 1);
    const { result } = scenario.tell({
      type: 'ReserveUpload',
      assetId: scenario.uuid(),
      filename: 'a',
      contentType: 'image/png',
      bytes: 1,
    });
    expect(result).toMatchObject({ ok: false, code: 'plan_limit', upgrade: { plan: 'pro', limit: 'storageBytes' } });
    expect(stored(scenario)).toBe(PLAN_LIMITS.free.storageBytes);
  });

  test('needs a verified e-mail address and a key in use', () => {
    const scenario = aWorkspace({ emailVerified: false });
    const keyId = scenario.key([]);
    const asking = {
      type: 'ReserveUpload' as const,
      assetId: scenario.uuid(),
      filename: 'a',
      contentType: 'image/png' as const,
      bytes: 1,
      credential: { kind: 'key' as const, keyId },
    };
    expect(scenario.tell(asking).result).toEqual(refusedAs('email_not_verified'));
    scenario.must({ type: 'RevokeKey', keyId });
    expect(scenario.tell(asking).result).toEqual(refusedAs('unauthorized'));
    expect(scenario.assets.size).toBe(0);
  });

  test('of an id that has one already is that one again', () => {
    const scenario = aWorkspace();
    const assetId = reserve(scenario);
    const again = scenario.must({
      type: 'ReserveUpload',
      assetId,
      filename: 'a.png',
      contentType: 'image/png',
      bytes: BYTES,
    });
    expect([again.kind, stored(scenario)]).toEqual(['reserved', BYTES]);
  });

  test('whose file never came is removed by its timer, and frees its storage', () => {
    const scenario = aWorkspace();
    const assetId = reserve(scenario);
    scenario.advance(15 * MINUTE);
    expect([scenario.assets.get(assetId)?.state, stored(scenario), removals(scenario)]).toEqual([
      'removed',
      0,
      [assetId],
    ]);
    expect(scenario.tell(whole(assetId)).result).toEqual(refusedAs('upload_incomplete'));
    expect(stored(scenario)).toBe(0);
  });
});

describe('completing', () => {
  test('answers with what the bytes are, and the same again', () => {
    const scenario = aWorkspace();
    const assetId = reserve(scenario);
    const first = scenario.must(whole(assetId));
    expect(first).toEqual({
      ok: true,
      kind: 'completed',
      file: { assetId, kind: 'image', contentType: 'image/png', bytes: BYTES },
    });
    const other = {
      ...whole(assetId),
      file: { blob: 'assets/other/original/2', facts: { ...facts(), contentType: 'image/webp' as const } },
    };
    for (const asking of [whole(assetId), other, nothing(assetId)]) expect(scenario.must(asking)).toEqual(first);
    expect(scenario.assets.get(assetId)).toMatchObject({
      state: 'ready',
      blob: `assets/${assetId}/original/1`,
      countedBytes: BYTES,
    });
    expect(stored(scenario)).toBe(BYTES);
  });

  const bad: readonly (readonly [string, Partial<CompleteUpload>, string])[] = [
    ['nothing came', { file: null }, 'upload_incomplete'],
    ['fewer bytes came', { file: { blob: 'b', facts: facts(BYTES - 1) } }, 'upload_incomplete'],
    ['the file is none that is taken', { file: null, problem: 'This is a GIF.' }, 'media_unacceptable'],
    ['the window is over', { issuedAt: Number.MAX_SAFE_INTEGER }, 'upload_incomplete'],
  ];
  test.each(bad)('is refused and the upload removed when %s', (_what, about, code) => {
    const scenario = aWorkspace();
    const assetId = reserve(scenario);
    expect(scenario.tell({ ...whole(assetId), ...about }).result).toEqual(refusedAs(code));
    expect([scenario.assets.get(assetId)?.state, stored(scenario), removals(scenario)]).toEqual([
      'removed',
      0,
      [assetId],
    ]);
    expect(scenario.tell(whole(assetId)).result).toEqual(refusedAs(code));
    expect([stored(scenario), removals(scenario)]).toEqual([0, [assetId]]);
  });

  test('what is not there is not found', () => {
    const scenario = aWorkspace();
    expect(scenario.tell(whole(scenario.uuid())).result).toEqual(refusedAs('not_found'));
  });

  test('makes the reservation’s timer mean nothing; a week later no Post has it, and it goes', () => {
    const scenario = aWorkspace();
    const assetId = reserve(scenario);
    complete(scenario, assetId);
    scenario.advance(15 * MINUTE);
    expect(scenario.assets.get(assetId)?.state).toBe('ready');
    scenario.advance(7 * DAY);
    expect([scenario.assets.get(assetId)?.state, stored(scenario)]).toEqual(['removed', 0]);
    expect(scenario.tell(whole(assetId)).result).toEqual(refusedAs('not_found'));
  });
});

describe('removing', () => {
  test('frees storage at once, whether complete or not; a second time there is nothing', () => {
    const scenario = aWorkspace();
    const [open, done] = [reserve(scenario), reserve(scenario)];
    complete(scenario, done);
    for (const assetId of [open, done]) {
      scenario.must({ type: 'RemoveUpload', assetId });
      expect(scenario.tell({ type: 'RemoveUpload', assetId }).result).toEqual(refusedAs('not_found'));
      expect(scenario.tell(whole(assetId)).result).toEqual(refusedAs('not_found'));
    }
    expect([stored(scenario), removals(scenario)]).toEqual([0, [open, done]]);
  });

  test('a file in a Post stays, whatever command or timer asks for its removal', () => {
    const scenario = aWorkspace();
    const assetId = reserve(scenario);
    complete(scenario, assetId);
    const { expiresAt } = scenario.assets.get(assetId)!;
    attach(scenario, assetId);
    expect(scenario.tell({ type: 'RemoveUpload', assetId }).result).toEqual(refusedAs('media_unavailable'));
    scenario.tell({ type: 'UploadExpired', workspaceId: scenario.id, assetId, expiresAt: expiresAt! });
    scenario.advance(30 * DAY);
    expect([scenario.assets.get(assetId)?.state, stored(scenario), removals(scenario)]).toEqual([
      'attached',
      BYTES,
      [],
    ]);
    expect(scenario.must(whole(assetId)).kind).toBe('completed');
  });

  test('many at once gives back what each counts for, once', () => {
    const scenario = aWorkspace();
    const ids = [reserve(scenario, 10), reserve(scenario, 20), reserve(scenario, 30)];
    const assets = ids.map((id) => scenario.assets.get(id)!);
    const once = removeAssets(scenario.workspace, assets.slice(0, 2), 'over');
    expect(once.state.storage.bytes).toBe(30);
    const gone = once.effects.flatMap((effect) => (effect.kind === 'asset-changed' ? [effect.asset] : []));
    expect(removeAssets(once.state, gone, 'over')).toEqual({ state: once.state, effects: [] });
  });
});

test('a timer that fires early by a clock that leads is set again, later by as much', () => {
  const scenario = aWorkspace();
  const assetId = reserve(scenario);
  const { expiresAt } = scenario.assets.get(assetId)!;
  scenario.now += 14 * MINUTE;
  const { effects } = scenario.tell({
    type: 'UploadExpired',
    workspaceId: scenario.id,
    assetId,
    expiresAt: expiresAt!,
  });
  expect(effects).toEqual([{ kind: 'asset-timer', assetId, expiresAt, at: expiresAt! + MINUTE }]);
  scenario.now += MINUTE;
  scenario.tell({ type: 'UploadExpired', workspaceId: scenario.id, assetId, expiresAt: expiresAt! });
  expect(scenario.assets.get(assetId)?.state).toBe('removed');
});
