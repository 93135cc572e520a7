import { Readable } from 'node:stream';
import { publishPartsOf } from '#config/values.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryBlobStore } from '#adapters/memory/blob-store.ts';
import { createMemoryLog, type MemoryLog } from '#adapters/memory/log.ts';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { createMemoryTableStore, type TableOperation } from '#adapters/memory/table-store.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { createCommandRequests, type CommandRequests } from '#commands/request-command.ts';
import type { CommandAnswer, Result } from '#domain/workspace/results.ts';
import type { Network } from '#domain/network.ts';
import type {
  AccountAccess,
  ArmedCall,
  IrreversibleCall,
  NetworkAdapter,
  Publication,
} from '#networks/contract/adapter.ts';
import type { HttpClient } from '#ports/http-client.ts';
import { createNetworks, sandboxEndpoints, type Networks } from '#networks/registry.ts';
import { PortError } from '#ports/errors.ts';
import type { Ids } from '#ports/ids.ts';
import { BUCKET_BYTES } from '#tables/buckets.ts';
import { RELEASE, WrittenFormat, type Release } from '#tables/release.ts';
import type { Log } from '#ports/log.ts';
import type { Facts } from '#reporting/fact.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { Atom, ConditionalWrite, TableStore } from '#ports/table-store.ts';
import type { Service } from '#runtime/service.ts';
import { fillTables } from '#services/crier/migrate/migrate.ts';
import type { Ports } from '#services/crier/compose/ports.ts';
import { createRoleFactory, type RoleFactory, type RoleSettings } from '#services/crier/compose/roles.ts';
import { NO_MEDIA } from '#testing/no-media.ts';
import { AddressedFile, drawHabit } from './files/addressed-file.ts';
import { GivenFiles, type GivenFile } from './files/given-files.ts';
import { createProcessBlobs } from './files/process-blobs.ts';
import { createProcessFiles, MEDIA_URL, type ProcessFiles } from './files/process-files.ts';
import { textOf } from '#services/sandbox/exchange.ts';
import { createSandbox, type Sandbox } from '#services/sandbox/sandbox.ts';
import type { Grant, Token } from '#services/sandbox/grants.ts';
import { createMemoryStore } from '#services/sandbox/store/memory-store.ts';
import { shelf } from '#services/sandbox/store/store.ts';
import { decodeBody } from '#tables/rows/body.ts';
import { createLedger, type Arm } from '#tables/repositories/ledger.ts';
import { listMemberships, type Membership } from '#tables/repositories/memberships.ts';
import type { ShardBody } from '#tables/repositories/shards.ts';
import { createDeliveryRows, type StoredDelivery } from '#tables/repositories/deliveries.ts';
import {
  DELIVERIES,
  PUBLISH_ARMS,
  PUBLISH_EVIDENCE,
  SHARD_WATERMARKS,
  WORKSPACES,
} from '#tables/declarations/tables.ts';
import { TIMERS, TOPICS, WORKSPACE_COMMANDS, WORKSPACE_EVENTS, type Topic } from '#tables/declarations/topics.ts';
import { rolesWith, type Part, type SimulatedRole } from './roles.ts';
import { Boundaries, type AimedPause } from './boundaries.ts';
import { SimulationEngine, type Owner } from './engine.ts';
import { drawMaxOffset, MAX_OFFSET_MS, NO_FAULTS, type FaultPlan } from './faults.ts';
import type { Plant } from './plant.ts';
import { ProcessClock } from './process-clock.ts';
import { appendFault, createProcessLog, scheduleOn } from './process-log.ts';
import { createProcessStore } from './process-store.ts';
import type { Dice } from './dice.ts';
import { Script } from './script.ts';
import { createProcessWeb } from './web/process-web.ts';
import { PublicWeb } from './web/public-web.ts';
import { Receivers } from './web/receivers.ts';
import { Stalls } from './stalls.ts';
import { createWire } from './wire.ts';
import { Trace, Witness, type NetworkCall } from './witness.ts';

/** One life of one process: its own composition over its own clients of the shared parts. */
export interface Process extends Owner {
  readonly role: SimulatedRole;
  /** `role-number`, the same over all lives. */
  readonly slot: string;
  readonly clock: ProcessClock;
  readonly ids: Ids;
  readonly requests: CommandRequests;
  readonly factory: RoleFactory;
  /** Of an account, by its id. */
  readonly memberships: (accountId: string) => Promise<readonly Membership[]>;
  /** Null in worlds without files. */
  readonly files: ProcessFiles | null;
}

/** Some runs begin minutes before a month and a week end together. */
const BEFORE_MONTHS_END = Date.UTC(2026, 8, 30, 23, 58);
const MIDDAY = Date.UTC(2026, 10, 20, 12);
const MAX_DOWN_MS = 20_000;
const LONG_BROKEN_SHARE = 0.1;
const DELIVERIES_SINCE_MS = 2 * 86_400_000;
const MAX_DELIVERIES = 100;
/** Buckets of a Post or two, and some that hold all: crashes and overlaps fall around the opening of the next. */
const BUCKET_SIZES = [1_000, 5_000, BUCKET_BYTES];
/** The worlds in which a release is being introduced whose formats its code tells apart: this one's. */
const OWN_FORMATS_SHARE = 0.35;
const NEXT_RELEASE: Release = { format: RELEASE.format + 1, writesFrom: RELEASE.format };
/** From a decision until it takes effect, with a pause in between. */
const MAX_DECISION_MS = 180_000;
/** The address to which the sandbox redirects people after their sign-in. */
export const REDIRECT = 'https://crier.test/callback';
const SANDBOX_URL = 'http://sandbox.test';
const SETTINGS: RoleSettings = {
  earliestScheduleSeconds: 60,
  duplicateWindowSeconds: 600,
  missedWindowSeconds: 3600,
  uploadWindowSeconds: 900,
  unusedUploadDays: 7,
  filesKeptDays: 90,
  postsKeptDays: 400,
  publishNetworks: publishPartsOf(['all']),
};
/** Half of the worlds with files: what is over is removed within the world. */
const SOON_OVER = { unusedUploadDays: 10 / 1440, filesKeptDays: 20 / 1440 };
export const DUPLICATE_WINDOW_MS = SETTINGS.duplicateWindowSeconds * 1000;
export const MISSED_WINDOW_MS = SETTINGS.missedWindowSeconds * 1000;

/**
 * A divisor of every real number of partitions: a key below it is placed the same. Few, so that owners are not busy
 * with empty ones.
 */
export const PARTITIONS = 4;
const BUSY: readonly Topic[] = [WORKSPACE_COMMANDS, TIMERS, WORKSPACE_EVENTS];
const FEW = TOPICS.map((topic) => ({ ...topic, partitions: partitionsOf(topic) }));
/** The same object for all worlds: it keeps no state of the messages. */
const codec = createCodec({ registry: createBuiltInRegistry() });

export function partitionsOf(topic: Topic): number {
  return BUSY.includes(topic) ? PARTITIONS : 2;
}

/** All parts of a run: the shared ones, and the processes that share them. */
export class World {
  readonly engine: SimulationEngine;
  readonly witness = new Witness();
  readonly script: Script;
  readonly boundaries: Boundaries;
  readonly trace: Trace;
  readonly tables = new MemoryTables();
  /** Reads and changes blobs at once. */
  readonly blobs = createMemoryBlobStore(() => this.engine.now);
  readonly files = new GivenFiles();
  readonly settings: RoleSettings;
  /** Reads the tables directly, at once. */
  readonly truth: TableStore;
  readonly log: MemoryLog;
  readonly sandbox: Sandbox;
  readonly networks: Networks;
  readonly codec = codec;
  readonly processes = new Map<string, Process>();
  /** What runs here beside the roles of every world. */
  readonly parts: readonly Part[];
  readonly stalls: Stalls;
  readonly web = new PublicWeb();
  readonly receivers = new Receivers(this.web);
  /** Some receivers are broken for hours, up to more than a day. */
  readonly receiversStayBroken: boolean;
  /** Once they are founded. */
  workspaceIds: readonly string[] = [];
  faults: FaultPlan = NO_FAULTS;
  /** Pauses a process at the step that was aimed at. */
  onAimed: (process: Process, pauseMs: number) => void = (process, pauseMs) => this.pause(process, pauseMs);
  /** How far the clocks of its processes may be off, those of schedulers that leap aside. */
  readonly maxOffsetMs: number;
  /** Store and log are unreachable for all processes until then. */
  awayUntil = 0;
  /** Seeds alternate between the two kinds of store. */
  readonly #atom: Atom;
  readonly #plant: Plant;
  readonly #bucketBytes: number;
  readonly #sandboxStore = createMemoryStore();
  readonly #release: Release;
  readonly #lives = new Map<string, number>();
  readonly #byName = new Map<string, Process>();

  constructor(options: {
    readonly seed: number;
    readonly parts?: readonly Part[];
    readonly plant?: Plant;
    /** Left out: as the seed draws. */
    readonly maxOffsetMs?: number;
    readonly trace?: boolean;
    readonly only?: readonly string[];
    readonly pauseAt?: AimedPause;
    readonly maxSteps?: number;
    readonly onStep?: (at: number, label: string) => void;
  }) {
    this.parts = options.parts ?? [];
    const startMs = options.seed % 3 === 0 ? BEFORE_MONTHS_END : MIDDAY;
    this.engine = new SimulationEngine({
      seed: options.seed,
      startMs,
      ...(options.maxSteps !== undefined && { maxSteps: options.maxSteps }),
      ...(options.onStep && { onStep: options.onStep }),
    });
    const isSoonOver = this.engine.diceOf('files').chance(0.5);
    this.settings = this.parts.includes('media') && isSoonOver ? { ...SETTINGS, ...SOON_OVER } : SETTINGS;
    this.maxOffsetMs = options.maxOffsetMs ?? drawMaxOffset(this.engine.diceOf('clocks'));
    // What a clock that leads fires too early is set again under the millisecond of its firing: twice within one, which
    // only calls that take no time at all get to, it would be one timer, which has fired.
    if (this.maxOffsetMs > MAX_OFFSET_MS) this.engine.calmLatencyMs = 1;
    this.stalls = new Stalls(this.engine);
    this.receiversStayBroken = this.engine.diceOf('receivers').chance(LONG_BROKEN_SHARE);
    this.script = new Script(options.only ?? null, () => this.engine.now);
    this.boundaries = new Boundaries(options.pauseAt ?? null, (name, pauseMs) => {
      const process = this.#byName.get(name);
      if (process?.mode === 'up') this.onAimed(process, pauseMs);
    });
    this.trace = new Trace(options.trace ?? false);
    this.#atom = options.seed % 2 === 0 ? 'store_and_log' : 'partition';
    this.#plant = options.plant ?? { name: 'none' };
    this.#bucketBytes = this.engine.diceOf('buckets').pick(BUCKET_SIZES);
    this.#release = this.engine.diceOf('formats').chance(OWN_FORMATS_SHARE) ? RELEASE : NEXT_RELEASE;
    this.truth = createMemoryTableStore({ tables: this.tables, clock: { now: () => this.engine.now } });
    const clock = new ProcessClock(this.engine, null, 0);
    const faultOf = appendFault(this.engine, () => this.faults.log);
    this.log = createMemoryLog({
      topics: FEW,
      clock,
      syncs: this.isOneEngine ? 'later' : 'at_once',
      hooks: {
        schedule: scheduleOn(this.engine, (name) => this.#byName.get(name)),
        appendFault: (client, topic, records) => {
          const fault = faultOf();
          if (this.trace.kept) for (const record of records) this.#traceAppend(client, topic, record.value, fault);
          return fault;
        },
      },
    });
    this.sandbox = createSandbox({
      clock,
      ids: this.#ids(),
      store: this.#sandboxStore,
      baseUrl: () => SANDBOX_URL,
      redirectUris: () => [REDIRECT],
      download: { get: ({ url }) => this.#download(url) },
      mediaUrl: () => MEDIA_URL,
    });
    const networks = createNetworks(sandboxEndpoints(SANDBOX_URL), { waitFactor: 0.1 });
    this.networks = this.#plant.networks?.(networks) ?? networks;
  }

  /** The roles whose processes run here. */
  get roles(): readonly SimulatedRole[] {
    return rolesWith(this.parts);
  }

  /** The newest of an endpoint, as they are now. */
  async deliveriesOf(endpointId: string): Promise<readonly StoredDelivery[]> {
    const { now } = this.engine;
    const rows = createDeliveryRows(this.truth);
    const found: StoredDelivery[] = [];
    for await (const each of rows.latest(endpointId, now - DELIVERIES_SINCE_MS, now, MAX_DELIVERIES)) found.push(each);
    return found;
  }

  /** Whether anything fails by itself here. */
  get hasFaults(): boolean {
    return Number.isFinite(this.faults.blowEveryMs);
  }

  /** Log and store are one, as embedded: owners read what is not synced yet, and their writes are durable behind it. */
  get isOneEngine(): boolean {
    return this.#atom === 'store_and_log';
  }

  /** Runs before anything else. */
  async migrate(): Promise<void> {
    await fillTables({ store: this.truth, clock: new ProcessClock(this.engine, null, 0), ids: this.#ids() });
  }

  start(slot: string): Process {
    const life = (this.#lives.get(slot) ?? 0) + 1;
    this.#lives.set(slot, life);
    const { engine } = this;
    const owner: Owner & { slot: string; role: SimulatedRole } = {
      name: `${slot}.${life}`,
      mode: 'up',
      slot,
      role: slot.split('-')[0] as SimulatedRole,
    };
    const clock = new ProcessClock(engine, owner, this.#offsetOf(owner.name));
    this.witness.mostAheadMs = Math.max(this.witness.mostAheadMs, clock.offsetMs);
    const ports = this.#portsOf(owner, clock);
    const crash = (): void => this.crash(owner);
    const files = this.parts.includes('media')
      ? createProcessFiles({ engine, owner, clock, blobs: ports.blobs, files: this.files, crash })
      : null;
    const requests = createCommandRequests(ports);
    const factory = createRoleFactory({
      ports,
      requests,
      answer: (replyTo, answer) => this.#hint(replyTo, answer),
      networks: this.#witnessed(owner),
      soleProcess: null,
      media: files?.media ?? NO_MEDIA,
      settings: this.settings,
      bucketBytes: this.#bucketBytes,
      instance: owner.name,
    });
    const memberships = (accountId: string) => listMemberships(ports.store, accountId);
    const process: Process = Object.assign(owner, { clock, ids: ports.ids, requests, factory, memberships, files });
    this.processes.set(slot, process);
    this.#byName.set(process.name, process);
    for (const service of servicesOf(process)) void service.start();
    this.trace.add(engine.now, 'nemesis', `${process.name} starts, its clock off by ${clock.offsetMs} ms`);
    return process;
  }

  /** Half of the clocks of a world where they may be far off are. */
  #offsetOf(name: string): number {
    const offsetMs = this.engine.between(-MAX_OFFSET_MS, MAX_OFFSET_MS);
    const dice = this.engine.diceOf(`clock of ${name}`);
    const isFarOff = this.maxOffsetMs > MAX_OFFSET_MS && dice.chance(0.5);
    return isFarOff ? dice.between(-this.maxOffsetMs, this.maxOffsetMs) : offsetMs;
  }

  /** A successor starts after a while. */
  crash(process: Owner & { readonly slot: string }): void {
    this.engine.drop(process);
    this.log.control.crash(process.name);
    this.witness.incidents.push({ process: process.name, kind: 'crash', at: this.engine.now });
    this.trace.add(this.engine.now, 'nemesis', `${process.name} crashes`);
    const downMs = this.engine.between(0, MAX_DOWN_MS);
    this.witness.disturb('crash', this.engine.now, this.engine.now + downMs);
    this.engine.later({ label: `restart ${process.slot}`, owner: null, delayMs: downMs }, () => {
      if (this.processes.get(process.slot)?.mode === 'dead') this.start(process.slot);
    });
  }

  /** Nothing of it runs for so long; it does not know that when it wakes. */
  pause(process: Process, pauseMs: number): void {
    const { engine, witness, trace } = this;
    process.mode = 'paused';
    witness.incidents.push({ process: process.name, kind: 'pause', at: engine.now });
    witness.disturb('pause', engine.now, engine.now + pauseMs);
    trace.add(engine.now, 'nemesis', `${process.name} is paused for ${pauseMs} ms`);
    engine.later({ label: `wake ${process.name}`, owner: null, delayMs: pauseMs }, () => {
      if (process.mode === 'paused') this.wake(process);
    });
  }

  wake(process: Process): void {
    this.engine.resume(process);
    this.trace.add(this.engine.now, 'nemesis', `${process.name} wakes`);
  }

  /** Ends the processes of these roles for good, those of all when left out: nothing starts in their place. */
  kill(roles: readonly SimulatedRole[] = this.roles): void {
    for (const process of [...this.processes.values()].filter(({ role }) => roles.includes(role))) {
      this.engine.drop(process);
      this.log.control.crash(process.name);
      this.witness.incidents.push({ process: process.name, kind: 'crash', at: this.engine.now });
      this.processes.delete(process.slot);
    }
    this.trace.add(this.engine.now, 'nemesis', `all processes of ${roles.join(', ')} are killed`);
  }

  /** Tables and log as they are now; the returned function restores them once all processes are killed. */
  backup(): () => void {
    // The log first: it settles what was written with its records.
    const log = this.log.control.backup();
    const tables = this.tables.backup();
    this.trace.add(this.engine.now, 'nemesis', 'a backup is taken');
    return () => {
      tables();
      log();
      this.trace.add(this.engine.now, 'nemesis', 'the backup is restored');
    };
  }

  /** An operator moves the clocks of all processes. */
  leap(ms: number): void {
    this.witness.disturb('leap', this.engine.now, this.engine.now + ms);
    this.engine.leap(ms);
    for (const { clock, mode } of this.processes.values()) if (mode === 'up') clock.announce();
    this.trace.add(this.engine.now, 'nemesis', `${ms} ms are skipped`);
  }

  /** A file of a Member at an address of its own. */
  openAddress(file: GivenFile, dice: Dice): string {
    const host = `${file.name.replace(' ', '-')}.test`;
    this.web.open(host, new AddressedFile(file, this.files, drawHabit(dice), dice));
    return `https://${host}/picture`;
  }

  /** As Networks get the files of Posts. */
  async #download(url: string) {
    const blob = url.slice(MEDIA_URL.length + 1);
    if ((await this.blobs.head(blob)) === null) return { status: 404, contentType: '', body: Readable.from([]) };
    return { status: 200, contentType: '', body: await this.blobs.get(blob) };
  }

  /** The processes of a role that can answer. */
  up(role: SimulatedRole): readonly Process[] {
    return [...this.processes.values()].filter((process) => process.role === role && process.mode === 'up');
  }

  async control(method: string, path: string, body?: unknown): Promise<unknown> {
    const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body));
    const answer = await this.sandbox.handle({
      method,
      url: path,
      headers: { 'content-type': 'application/json' },
      body: bytes,
    });
    if ('cut' in answer || answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return JSON.parse(textOf(answer));
  }

  /** The Networks as one process has them: what it publishes is written down when it makes the call. */
  #witnessed(owner: Owner): Networks {
    const note = (network: Network, accountId: string): void =>
      void this.witness.sends.push({ network, accountId, by: owner.name, at: this.engine.now });
    const noting = <C extends AccountAccess, A extends IrreversibleCall<C>>(call: A): A => ({
      ...call,
      publish: (content: C, handle: string | null) => {
        note(call.network, content.accountId);
        return call.publish(content, handle);
      },
    });
    const recording = (adapter: NetworkAdapter): NetworkAdapter => ({
      ...adapter,
      prepare: (content, handle) =>
        this.#recorded(owner, adapter, 'prepare', content, (watched) => adapter.prepare(watched, handle)),
      publish: (content, handle) =>
        this.#recorded(owner, adapter, 'publish', content, (watched) => adapter.publish(watched, handle)),
      reconcile: (content, armed) =>
        this.#recorded(owner, adapter, 'reconcile', content, (watched) => adapter.reconcile(watched, armed), armed),
    });
    const { adapters, comments } = this.networks;
    const each = <A extends { readonly network: Network }>(
      calls: Readonly<Partial<Record<Network, A>>>,
      by: (call: A) => A,
    ) => Object.fromEntries(Object.entries(calls).map(([network, call]) => [network, by(call)]));
    return {
      ...this.networks,
      adapters: each(adapters, (adapter) => noting(recording(adapter))),
      comments: each(comments, noting),
    } as Networks;
  }

  /** Writes down the call, the answers that it got and what it came to. */
  async #recorded<T extends { readonly kind: string }>(
    owner: Owner,
    { network }: { readonly network: Network },
    kind: NetworkCall['kind'],
    content: Publication,
    run: (content: Publication) => Promise<T>,
    armed: ArmedCall | null = null,
  ): Promise<T> {
    const { accountId, text } = content;
    const { answers } = this.witness;
    const call: NetworkCall = {
      kind,
      network,
      accountId,
      text,
      by: owner.name,
      at: this.engine.now,
      armedAt: armed?.armedAt ?? null,
      answers: [],
      came: null,
      endedAt: null,
    };
    this.witness.calls.push(call);
    const send: HttpClient['send'] = async (request) => {
      const before = answers.length;
      try {
        return await content.http.send(request);
      } finally {
        const { pathname } = new URL(request.url);
        call.answers.push(...answers.slice(before).filter(({ by, path }) => by === owner.name && path === pathname));
      }
    };
    const answer = await run({ ...content, http: { send } });
    call.came = answer.kind;
    call.endedAt = this.engine.now;
    return answer;
  }

  #ids(): Ids {
    return createSeededIds(Math.floor(this.engine.random() * 2 ** 52));
  }

  #portsOf(owner: Owner & { readonly role: SimulatedRole; readonly slot: string }, clock: ProcessClock): Ports {
    const { engine } = this;
    const away = (): boolean => engine.now < this.awayUntil;
    const onBoundary = (): void => this.boundaries.pass(owner.role, owner.name);
    const writesUnderWay = new Set<Promise<unknown>>();
    const store = createProcessStore({
      engine,
      owner,
      tables: this.tables,
      atom: this.#atom,
      faults: () => this.faults,
      away,
      crash: () => this.crash(owner),
      stalled: (isWrite) => this.stalls.pass(owner, 'store', isWrite),
      behindAppends: () => (this.isOneEngine ? this.log.control.behindAppends() : null),
      behindAtoms: () => (this.isOneEngine ? this.log.control.behindAtoms() : null),
      log: this.log.control.within(owner.name),
      writesUnderWay,
      onBoundary,
      onRefused: () => this.witness.count('the store refuses a turn for its size'),
      onTurn: (write) => this.#noteResults(owner, write),
      onWritten: (operation) => this.#note(owner, operation),
    });
    const log: Log = createProcessLog(
      this.log.client(owner.name),
      engine,
      owner,
      away,
      () => this.faults.log,
      onBoundary,
      this.isOneEngine ? writesUnderWay : new Set(),
      () => this.stalls.pass(owner, 'log', true),
      (topic, value) => this.#noteGone(owner, topic, value),
    );
    const planted = (real: TableStore): TableStore => this.#plant.store?.(real, owner.role, codec) ?? real;
    return {
      store: { ...planted(store), ...(store.unsynced && { unsynced: planted(store.unsynced) }) },
      log: this.#plant.log?.(log, owner.role, codec) ?? log,
      blobs: createProcessBlobs({
        ...{ engine, owner, blobs: this.blobs, away, onBoundary, faults: () => this.faults },
        crash: () => this.crash(owner),
        stalled: (isWrite) => this.stalls.pass(owner, 'blobs', isWrite),
      }),
      codec,
      writtenFormat: formatOf(owner, this.#release),
      clock,
      ids: this.#ids(),
      reporter: this.#reporterOf(owner),
      http: createWire(
        engine,
        owner,
        { sandbox: this.sandbox, accountOf: (token) => this.#accountOf(token) },
        () => this.faults.request,
        (answer) => void this.witness.answers.push(answer),
        onBoundary,
      ),
      publicHttp: createProcessWeb({ engine, owner, web: this.web, faults: () => this.faults.request, onBoundary }),
      secretBox: plainBox,
    };
  }

  /** Whose token it is, or was; null: the sandbox never issued it. */
  #accountOf(token: string): string | null {
    const issued = shelf<Token>(this.#sandboxStore, 'tokens').get(token);
    return issued === null ? null : (shelf<Grant>(this.#sandboxStore, 'grants').get(issued.grantId)?.accountId ?? null);
  }

  #hint(replyTo: string, answer: CommandAnswer): void {
    const asker = this.#byName.get(replyTo);
    if (asker === undefined || this.engine.chance(this.faults.hintLost)) return;
    const text = JSON.stringify(answer);
    this.engine.later({ label: `hint ${replyTo}`, owner: asker, delayMs: this.engine.latencyMs() }, () =>
      asker.requests.receiveAnswer(JSON.parse(text) as CommandAnswer),
    );
  }

  #reporterOf(owner: Owner): Reporter {
    return {
      report: (event, facts?: Facts) => {
        this.witness.count(event);
        this.trace.add(this.engine.now, owner.name, event, facts);
      },
      failure: (event, error, facts?: Facts) => {
        const expected = error instanceof PortError && error.kind !== 'refused';
        if (!expected)
          this.witness.defects.push({
            process: owner.name,
            event,
            error: error instanceof Error ? (error.stack ?? error.message) : String(error),
            at: this.engine.now,
          });
        this.witness.incidents.push({ process: owner.name, kind: 'trouble', at: this.engine.now });
        this.witness.count(expected ? `${event} (port)` : event);
        this.trace.add(this.engine.now, owner.name, `${event}: ${String(error)}`, facts);
      },
    };
  }

  #note(owner: Owner, { name, table, partition }: TableOperation): void {
    if (table === PUBLISH_EVIDENCE && name === 'insert') void this.#noteProof(partition[0] as string);
    if (table === DELIVERIES && name === 'insert') this.witness.deliveries.add(partition[0] as string);
    if (name !== 'compareAndSet' || (table !== SHARD_WATERMARKS && table !== PUBLISH_ARMS)) return;
    const found = this.tables.find(table, partition)?.find([]);
    if (found == null) return;
    const about = { by: owner.name, at: this.engine.now };
    if (table === SHARD_WATERMARKS) {
      const { minute, doubted = null, epoch } = decodeBody<ShardBody>(found)!;
      const now = this.#byName.get(owner.name)?.clock.earliest(MAX_DECISION_MS) ?? this.engine.now;
      this.witness.watermarks.push({ shard: partition[0] as number, minute, doubted, epoch, now, ...about });
    } else {
      const { stage, armToken, armedAt, sendBefore } = decodeBody<Arm>(found)!;
      const row = { variantId: partition[0] as string, stage, armToken, sendWithinMs: sendBefore - armedAt };
      this.witness.arms.push({ ...row, ...about });
      this.trace.add(this.engine.now, owner.name, `ledger row of ${partition[0]} is ${stage}`);
    }
  }

  /** Results are kept for ten minutes only. */
  #noteResults({ name: by }: Owner, { partition, rows = [] }: ConditionalWrite): void {
    const { decided } = this.witness;
    const written = this.tables.find(WORKSPACES, partition);
    for (const { clustering } of rows) {
      const requestId = clustering[1] as string;
      const row = clustering[0] === 'result' && !decided.has(requestId) ? written?.find(clustering) : null;
      if (row != null) decided.set(requestId, { result: decodeBody<Result>(row)!, by, at: this.engine.now });
    }
  }

  /** A timer that is lost takes the message with it that it carries. */
  #noteGone(owner: Owner, topic: string, value: Uint8Array): void {
    this.#traceAppend(owner.name, topic, value, 'gone');
    const decoded = codec.decodeNow(value);
    if (!decoded?.ok) return;
    this.witness.gone.push({ message: decoded.message, value });
    if (decoded.message.type === 'TimerSet') this.#noteGone(owner, decoded.message.topic, decoded.message.payload);
  }

  async #noteProof(variantId: string): Promise<void> {
    if (this.witness.proofs.has(variantId)) return;
    const { now } = this.engine;
    const steps = await createLedger(this.truth).attempts(variantId);
    if (steps.some(({ outcome }) => outcome === 'published')) this.witness.proofs.set(variantId, now);
  }

  #traceAppend(client: string, topic: string, value: Uint8Array, fault: string | undefined): void {
    if (!this.trace.kept) return;
    const decoded = codec.decodeNow(value);
    if (decoded === null || !decoded.ok) return;
    const { type, ...rest } = decoded.message;
    const shown = JSON.stringify(rest, (key, each: unknown) =>
      key === 'payload' || key === 'body' ? undefined : each,
    );
    this.trace.add(
      this.engine.now,
      client,
      `appends ${type} to ${topic}${fault === undefined ? '' : ` (${fault})`} ${shown}`,
    );
  }
}

function servicesOf({ role, factory }: Process): readonly Service[] {
  switch (role) {
    case 'ingress':
      return [];
    case 'workspace':
      return [factory.workspace()];
    case 'scheduler':
      return [factory.scheduler()];
    case 'publisher': {
      const { ofNetworks, others } = factory.publishers();
      return [...ofNetworks, ...others];
    }
    case 'webhooks':
      return factory.webhooks().services;
    case 'media':
      return factory.media();
  }
}

/** Sealing is not tested here, and a real seal draws randomness that no seed decides. */
const plainBox: SecretBox = {
  keyIds: ['plain'],
  keyIdOf: () => 'plain',
  seal: (plain, context) => JSON.stringify([context, plain]),
  open: (sealed, context) => {
    const [boundTo, plain] = JSON.parse(sealed) as [string, string];
    if (boundTo !== context) throw new PortError('refused', 'sealed for another context');
    return plain;
  },
};

/** Half of the processes write the newer format of the release: what one begins, one of the other may end. */
function formatOf({ name }: Owner, release: Release): WrittenFormat {
  const written = new WrittenFormat(release);
  const numbers = [...name.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  if (numbers.reduce((sum, number) => sum + number, 0) % 2 === 0) written.learn(release.format);
  return written;
}
