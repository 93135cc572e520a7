/**
 * Has this release write a data folder and stores it under a name, for later releases to open:
 *
 *     npm run stored-folder -- 0.1.0
 *
 * Run it by hand, once for each release, on a clean checkout of it. It takes one to five minutes and needs ffmpeg.
 * `<name>/data.tar.gz` is the folder as kill -9 left it, `<name>/expected.json` says what is in it, and
 * `stored-folder.test.ts` opens every one that is there. The secrets in it are those of a throw-away installation.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { NETWORKS, type Network } from '#domain/network.ts';
import { OUTCOME_TYPES } from '#domain/webhook/outcome-type.ts';
import type { ApiClient } from '#testing/crier-clients.ts';
import { CrierUnderTest, textChannels } from '#testing/crier-process.ts';
import { foundWorkspace, type TestWorkspace } from '#testing/crier-workspace.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { until } from '#testing/until.ts';
import { createPost, fileOf, phoneFilm, published, readPost, sendFile, upload, type MadeFile } from '../media-files.ts';
import { owedMessages } from './owed-messages.ts';
import {
  CERTAIN_NETWORK,
  readFacts,
  type BusyWorkspace,
  type OwedMessage,
  type StoredEndpoint,
  type StoredFile,
  type StoredFolder,
} from './stored-facts.ts';

const ROOT = join(import.meta.dirname, '../../..');
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A process that has vanished this often while it handled a record gets its key parked. */
const DEATHS = 3;
const BUSY_WORKSPACES = 4;
const MIN_WRITING_MS = 150;
const MAX_KILLS = 100;
const IDEMPOTENCY_KEY = 'stored with its Post';
const SETTINGS = { CRIER_REQUESTS_PER_MINUTE: '0', CRIER_NETWORK_BUDGETS: 'off', CRIER_LOG_LEVEL: 'warn' };

const { photo, square, wideshot, picture, film } = MEDIA_FIXTURES;
const made = ({ contentType, bytes }: { readonly contentType: string; readonly bytes: Uint8Array }): MadeFile =>
  fileOf(contentType, Buffer.from(bytes));

async function nowOf(crier: CrierUnderTest): Promise<number> {
  return Date.parse((await crier.admin().call('system.status')).now);
}

function on(crier: CrierUnderTest, ...networks: readonly Network[]): string[] {
  return networks.map((network) => crier.ready.demo!.channels[network]!);
}

/** An endpoint for every event at an inbox of the sandbox, which judges its signatures. */
async function register(crier: CrierUnderTest, api: ApiClient, inbox: string): Promise<StoredEndpoint> {
  const { status, body } = await api.send('POST', '/api/webhooks', {
    url: `https://inbox.sandbox/${inbox}`,
    events: [...OUTCOME_TYPES],
  });
  assert.equal(status, 201, JSON.stringify(body));
  await crier.sandbox().send('POST', `/sandbox/inbox/${inbox}`, { secret: body.data.secret });
  return { id: body.data.id, inbox };
}

async function stored(
  api: ApiClient,
  file: MadeFile,
  send: (api: ApiClient, file: MadeFile) => Promise<string>,
): Promise<StoredFile> {
  return { assetId: await send(api, file), sha256: file.sha256, bytes: file.bytes.length };
}

/** Kills Crier each time that it converts one film, until the key of the film's job is parked. */
async function parkKey(crier: CrierUnderTest): Promise<string> {
  const { contentType, bytes } = await phoneFilm({ size: '480x270', seconds: 1 });
  const assetId = await upload(crier.api(), fileOf(contentType, bytes));
  const { id } = await createPost(crier, {
    text: 'A film whose job is parked',
    channelIds: on(crier, CERTAIN_NETWORK),
    media: [{ assetId }],
  });
  const isConverting = (): boolean =>
    existsSync(join(crier.dataDir, 'under-way')) && filesBelow(join(crier.dataDir, 'under-way')).length > 0;
  for (let death = 1; death <= DEATHS; death++) {
    await until(isConverting, { what: `conversion ${death}`, everyMs: 2, withinMs: 60_000 });
    await crier.restart('kill');
  }
  await until(
    async () =>
      (await crier.admin().call('parked.list')).parked.some(({ key }: { readonly key: string }) => key === id),
    { what: 'its key is parked' },
  );
  return id;
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** A Variant that x refuses, and whose Channel stays well. */
async function failOne(crier: CrierUnderTest): Promise<string> {
  await crier.sandbox().fault({ network: 'x', fault: 'duplicate' });
  const { id } = await crier.api().createPost({ text: 'Refused by x', channelIds: on(crier, 'x') });
  await until(async () => (await readPost(crier, id)).variants.every(({ status }) => status === 'failed'), {
    what: 'refused by x',
  });
  return id;
}

/** Both endpoints are registered by then; events of these Posts reach one of them, and the other answers 500. */
async function writePublished(
  crier: CrierUnderTest,
): Promise<Pick<StoredFolder['posts'], 'published' | 'withPicture' | 'withFilm' | 'idempotent' | 'failed'>> {
  const api = crier.api();
  const publish = async (body: object): Promise<string> =>
    (await published(crier, (await createPost(crier, body)).id)).id;
  const files = { photo: await upload(api, made(photo)), film: await upload(api, made(film)) };
  const idempotent = await api.createPost(
    { text: 'Sent with an Idempotency-Key', channelIds: textChannels(crier.ready.demo!) },
    { headers: { 'idempotency-key': IDEMPOTENCY_KEY } },
  );
  await published(crier, idempotent.id);
  return {
    idempotent: idempotent.id,
    published: await publish({ text: 'Words alone', channelIds: textChannels(crier.ready.demo!) }),
    withPicture: await publish({
      text: 'With a picture',
      channelIds: on(crier, ...NETWORKS.filter((network) => network !== 'youtube')),
      media: [{ assetId: files.photo, altText: 'A photo' }],
    }),
    withFilm: await publish({
      text: 'With a film',
      channelIds: on(crier, 'youtube'),
      media: [{ assetId: files.film }],
    }),
    failed: await failOne(crier),
  };
}

interface Scheduled {
  readonly posts: Pick<StoredFolder['posts'], 'cancelled' | 'scheduledWithPicture' | 'farAhead' | 'dueMeanwhile'>;
  readonly picture: StoredFile;
}

async function writeScheduled(crier: CrierUnderTest): Promise<Scheduled> {
  const [api, now] = [crier.api(), await nowOf(crier)];
  const channelIds = textChannels(crier.ready.demo!);
  const at = (aheadMs: number): string => new Date(now + aheadMs).toISOString();
  const schedule = async (text: string, aheadMs: number): Promise<string> =>
    (await api.createPost({ text, channelIds, scheduledAt: at(aheadMs) })).id;
  const file = await stored(api, made(square), upload);
  const media = [{ assetId: file.assetId, altText: 'A square' }];
  const withPicture = await createPost(crier, {
    text: 'A picture in two hours',
    channelIds: on(crier, 'facebook', CERTAIN_NETWORK),
    media,
    scheduledAt: at(120 * MINUTE_MS),
  });
  await until(async () => (await readPost(crier, withPicture.id)).variants.every(({ mediaReady }) => mediaReady), {
    what: 'its files ready',
    withinMs: 60_000,
  });
  const cancelled = await schedule('Cancelled', 60 * MINUTE_MS);
  await api.cancelPost(cancelled);
  // The API takes two years, and the clock goes on while it is asked.
  const farAhead = [
    await schedule('In two years, to be cancelled', 729 * DAY_MS),
    await schedule('In two years', 729 * DAY_MS),
  ];
  return {
    picture: file,
    posts: {
      cancelled,
      scheduledWithPicture: withPicture.id,
      farAhead,
      dueMeanwhile: await schedule('Due while nothing ran', 20 * MINUTE_MS),
    },
  };
}

async function revokedKey(crier: CrierUnderTest): Promise<string> {
  const { workspaceId, memberId } = crier.ready.demo!;
  const { keyId, apiKey } = await crier
    .admin()
    .call('keys.create', { workspaceId, memberId, name: 'revoked', permissions: [] });
  await crier.admin().call('keys.revoke', { workspaceId, keyId });
  return apiKey;
}

interface DeliveryJson {
  readonly id: string;
  readonly eventId: string;
  readonly state: string;
  readonly attempts: number;
}

/** A delivery to one endpoint that waits for its next attempt, once every one to the other has succeeded. */
async function waitingDelivery(
  api: ApiClient,
  well: StoredEndpoint,
  failing: StoredEndpoint,
): Promise<StoredFolder['failing']> {
  return until(
    async () => {
      const endpoints: readonly { readonly id: string; readonly deliveries: readonly DeliveryJson[] }[] = (
        await api.send('GET', '/api/webhooks')
      ).body.data;
      const deliveriesTo = ({ id }: StoredEndpoint): readonly DeliveryJson[] =>
        endpoints.find((endpoint) => endpoint.id === id)!.deliveries;
      const waiting = deliveriesTo(failing).find(({ state, attempts }) => state === 'pending' && attempts > 0);
      const isTold =
        deliveriesTo(well).length === deliveriesTo(failing).length &&
        deliveriesTo(well).every(({ state }) => state === 'succeeded');
      return waiting === undefined || !isTold ? null : { ...failing, deliveryId: waiting.id, eventId: waiting.eventId };
    },
    { what: 'a delivery that waits for its next attempt' },
  );
}

async function foundBusy(crier: CrierUnderTest): Promise<readonly (TestWorkspace & BusyWorkspace)[]> {
  const busy: (TestWorkspace & BusyWorkspace)[] = [];
  for (let count = 1; count <= BUSY_WORKSPACES; count++) {
    const workspace = await foundWorkspace(crier, `busy ${count}`);
    busy.push({ ...workspace, endpoint: await register(crier, crier.api(workspace.apiKey), `busy-${count}`) });
  }
  return busy;
}

/** Posts at whose Variants the ledger is armed: of one the answer was cut off, of the other no answer has come yet. */
async function sendUnderWay(crier: CrierUnderTest): Promise<StoredFolder['underWay']> {
  const [cut, waiting] = [await foundWorkspace(crier, 'cut off'), await foundWorkspace(crier, 'under way')];
  await crier.sandbox().fault({ network: 'x', fault: 'drop_after_commit' });
  const answerCut = await crier
    .api(cut.apiKey)
    .createPost({ text: 'Its answer cut off', channelIds: [cut.channels.x] });
  await until(
    async () => {
      const { body } = await crier.api(cut.apiKey).send('GET', `/api/variants/${answerCut.variants[0]!.id}/attempts`);
      return body.data.some(({ outcome }: { readonly outcome: string }) => outcome === 'unknown');
    },
    { what: 'its answer is cut off', everyMs: 2 },
  );
  for (const network of ['x', CERTAIN_NETWORK] as const) {
    await crier.sandbox().fault({ network, fault: 'delay', delayMs: 4_000 });
  }
  const channelIds = Object.values(waiting.channels);
  const unanswered = await crier.api(waiting.apiKey).createPost({ text: 'Its answers on their way', channelIds });
  await until(async () => (await crier.sandbox().send('GET', '/sandbox/faults')).body.faults.length === 0, {
    what: 'its calls are under way',
    everyMs: 2,
  });
  return [
    { apiKey: cut.apiKey, postId: answerCut.id, ends: { x: 'published' } },
    // Neither came to be: threads can tell so and is asked to publish again, x can not tell.
    { apiKey: waiting.apiKey, postId: unanswered.id, ends: { [CERTAIN_NETWORK]: 'published', x: 'unconfirmed' } },
  ];
}

/**
 * Kills Crier under load, from the same beginning each time, until some stored head owes a job and some stored head
 * owes an event that the log does not have. Between the commit of a head and that of its messages lies one write to the
 * disk, so about one kill in twenty finds both.
 */
async function killOwing(
  crier: CrierUnderTest,
  busy: readonly (TestWorkspace & BusyWorkspace)[],
): Promise<Pick<StoredFolder, 'underWay' | 'owed' | 'writtenAt'>> {
  const beginning = `${crier.dataDir}-beginning`;
  await crier.stop();
  cpSync(crier.dataDir, beginning, { recursive: true });
  for (let kill = 1; kill <= MAX_KILLS; kill++) {
    rmSync(crier.dataDir, { recursive: true });
    cpSync(beginning, crier.dataDir, { recursive: true });
    await crier.start();
    const aheadMs = (await nowOf(crier)) - Date.now();
    const underWay = await sendUnderWay(crier);
    await killWhileWriting(crier, busy);
    const writtenAt = new Date(Date.now() + aheadMs).toISOString();
    const owed: readonly OwedMessage[] = owedMessages(join(crier.dataDir, 'crier.db'));
    const jobs = owed.filter(({ eventId }) => eventId === null).length;
    process.stdout.write(`kill ${kill}: ${jobs} jobs and ${owed.length - jobs} events are owed\n`);
    if (jobs > 0 && owed.length > jobs) return { underWay, owed, writtenAt };
  }
  throw new Error(`none of ${MAX_KILLS} kills left both a job and an event owed`);
}

/** Each Workspace writes one Post after the other meanwhile, so that Posts are in every stage. */
async function killWhileWriting(
  crier: CrierUnderTest,
  busy: readonly (TestWorkspace & BusyWorkspace)[],
): Promise<void> {
  const writing = busy.map(async ({ apiKey, channels }, index) => {
    const api = crier.api(apiKey);
    for (let count = 1; crier.pid !== null; count++) {
      await api
        .createPost({ text: `Busy ${index + 1}, Post ${count}`, channelIds: [channels[CERTAIN_NETWORK]] })
        .catch(() => {});
    }
  });
  await sleep(MIN_WRITING_MS + Math.random() * MIN_WRITING_MS);
  await crier.kill();
  await Promise.all(writing);
}

/** Rows stay as the kill left them: what is in the WAL moves into the database, and free pages go. */
function pack(dataDir: string, archive: string): void {
  for (const name of ['crier.db', 'sandbox.db']) {
    const database = new DatabaseSync(join(dataDir, name));
    database.exec('PRAGMA wal_checkpoint(TRUNCATE); VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
  }
  const ownerless = ['--owner=0', '--group=0', '--numeric-owner'];
  execFileSync('tar', ['--sort=name', ...ownerless, '-czf', archive, '-C', dataDir, '.']);
}

/** The commit is the newest that changed the release's own code: what stores the folder may come after it. */
function releaseOf(): Pick<StoredFolder, 'version' | 'commit'> {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const own = ['bin', 'libs', 'services', 'schemas'];
  const commit = execFileSync('git', ['log', '-1', '--format=%h', '--', ...own], {
    cwd: ROOT,
    encoding: 'utf8',
  }).trim();
  return { version, commit };
}

async function write(folder: string): Promise<void> {
  await using crier = await CrierUnderTest.start({ name: 'stored-folder', env: SETTINGS });
  const api = crier.api();
  const parked = await parkKey(crier);
  const well = await register(crier, api, 'well');
  const failing = await register(crier, api, 'failing');
  await crier.sandbox().send('POST', `/sandbox/inbox/${failing.inbox}`, { answer: '500' });
  const ended = await writePublished(crier);
  const waiting = await waitingDelivery(api, well, failing);
  const revoked = await revokedKey(crier);
  const busy = await foundBusy(crier);
  const unusedUpload = await stored(api, made(wideshot), upload);
  const arrivedUpload = await stored(api, made(picture), sendFile);
  const { posts, picture: scheduled } = await writeScheduled(crier);
  // The demo Workspace is at rest from here on.
  const facts = await readFacts(api);
  const killed = await killOwing(crier, busy);
  const { workspaceId, apiKey } = crier.ready.demo!;
  const content: StoredFolder = {
    ...releaseOf(),
    ...killed,
    workspaceId,
    apiKey,
    revokedKey: revoked,
    facts,
    posts: { ...ended, ...posts, parked },
    idempotencyKey: IDEMPOTENCY_KEY,
    picture: scheduled,
    unusedUpload,
    arrivedUpload,
    well,
    failing: waiting,
    busy: busy.map((each) => ({ workspaceId: each.workspaceId, apiKey: each.apiKey, endpoint: each.endpoint })),
  };
  mkdirSync(folder);
  pack(crier.dataDir, join(folder, 'data.tar.gz'));
  writeFileSync(join(folder, 'expected.json'), `${JSON.stringify(content, null, 1)}\n`);
  process.stdout.write(`${folder}: ${statSync(join(folder, 'data.tar.gz')).size} bytes\n`);
}

const [name] = process.argv.slice(2);
if (name === undefined || !/^\w[\w.-]*$/.test(name)) {
  throw new Error('Say under which name the folder is to be stored: npm run stored-folder -- 0.1.0');
}
const folder = join(import.meta.dirname, name);
if (existsSync(folder)) throw new Error(`${folder} is there: a stored folder is never written again`);
await write(folder);
