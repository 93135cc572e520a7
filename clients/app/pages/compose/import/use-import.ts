import { useEffect, useMemo, useRef, useState } from 'react';
import { readFileText, type FileTextReading } from '#clients/csv/file-text.ts';
import { PresentPosts, spanOf } from '#clients/csv/present-posts.ts';
import { readPosts, type PostsFile } from '#clients/csv/read-posts.ts';
import type { CsvPost, CsvRow } from '#clients/csv/read-row.ts';
import { recordsOf, writeRecords, type CsvRecord } from '#clients/csv/records.ts';
import { isPassing, problemOf } from '../../../server/problem.ts';
import { queryClient, serverKey } from '../../../server/queries.ts';
import { server } from '../../../server/server.ts';
import { useWorkspace } from '../../../workspace/workspace.ts';
import type { ComposeChannel } from '../checks/blockers.ts';
import { untilNextTry } from '../uploads/until-next-try.ts';
import { runImport, type BulkAnswer, type ImportRow } from './import-run.ts';
import { keepCreated, type ShownRow } from './shown-row.ts';

export interface ImportState {
  readonly name: string;
  readonly file: PostsFile;
  readonly rows: readonly ShownRow[];
  /** What the file calls its columns. */
  readonly headers: readonly string[];
  readonly step: 'checking' | 'checked' | 'creating' | 'created';
  readonly isPaused: boolean;
  /** Why a run ended early. */
  readonly error: unknown;
}

export interface Importing {
  /** Null: no file was chosen. */
  readonly state: ImportState | null;
  readonly open: (name: string, bytes: Uint8Array) => void;
  readonly create: () => void;
  readonly stop: () => void;
  readonly cellsOf: (row: number) => readonly string[];
  /** Puts other cells into a row; the file is read and checked again. */
  readonly correct: (row: number, cells: readonly string[]) => void;
}

const FILE_ON_DISK =
  'names a file on your machine. Write the https address of the file, or import with the command line, which uploads it.';

/** A file of Posts: read in the browser, judged by the server in a dry run, then created. */
export function useImport(channels: readonly ComposeChannel[]): Importing {
  const { id: workspaceId, timeZone } = useWorkspace();
  const [state, setState] = useState<ImportState | null>(null);
  const records = useRef<readonly CsvRecord[]>([]);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const options = useMemo(() => ({ channels, zone: timeZone }), [channels, timeZone]);

  const run = async (rows: readonly ImportRow[], isDryRun: boolean): Promise<void> => {
    running.current?.abort();
    const { signal } = (running.current = new AbortController());
    const change = (part: (now: ImportState) => Partial<ImportState>) =>
      setState((now) => (now === null || signal.aborted ? now : { ...now, ...part(now) }));
    change(() => ({ step: isDryRun ? 'checking' : 'creating', error: null, isPaused: false }));
    const end = (error: unknown) => change(() => ({ step: isDryRun ? 'checked' : 'created', error, isPaused: false }));
    await runImport({
      rows,
      isDryRun,
      signal,
      findPresent: (posts, ending) => findPresent(workspaceId, posts, ending),
      send: (posts, dryRun) => sendBulk(workspaceId, posts, dryRun),
      retryOf,
      wait,
      onState: (row, next) =>
        change(({ rows: before }) => ({
          rows: before.map((each) => (each.row === row ? { ...each, state: next } : each)),
        })),
      onPause: (isPaused) => change(() => ({ isPaused })),
    }).then(() => end(null), end);
    if (!isDryRun) void queryClient.invalidateQueries({ queryKey: serverKey((from) => from.posts.calendar) });
  };

  const open = (name: string, read: FileTextReading, before: readonly ShownRow[] = []): void => {
    const reading = read.ok ? recordsOf(read.text) : read;
    records.current = reading.ok ? reading.records : [];
    const file = read.ok ? readPosts(read.text, options) : unreadable(read.message);
    const rows = keepCreated(before, file.rows.map(shownRow));
    const headers = records.current[0]?.cells ?? [];
    setState({ name, file, rows, headers, step: 'checking', isPaused: false, error: null });
    void run(rows.flatMap(sendable), true);
  };

  return {
    state,
    open: (name, bytes) => open(name, readFileText(bytes)),
    create: () =>
      state !== null && void run(state.rows.filter((each) => each.state.kind === 'good').flatMap(sendable), false),
    stop: () => {
      running.current?.abort();
      setState((now) =>
        now === null ? now : { ...now, step: now.step === 'creating' ? 'created' : 'checked', isPaused: false },
      );
    },
    cellsOf: (row) => records.current.find((record) => record.row === row)?.cells ?? [],
    correct: (row, cells) => {
      if (state === null) return;
      // Empty rows were passed over: they keep their place, so that rows keep their numbers.
      const last = records.current.at(-1)?.row ?? 0;
      const all = Array.from({ length: last }, (_, index) => {
        const record = records.current.find((each) => each.row === index + 1);
        return record?.row === row ? cells : (record?.cells ?? ['']);
      });
      open(state.name, { ok: true, text: writeRecords(all) }, state.rows);
    },
  };
}

function unreadable(message: string): PostsFile {
  return { rows: [], problems: [{ row: 1, column: null, message }], ignored: [] };
}

function shownRow({ row, post, problems }: CsvRow): ShownRow {
  const messages = problems.map(({ column, message }) => (column === null ? message : `${column}: ${message}`));
  const onDisk = post?.media.find((file) => 'path' in file);
  if (onDisk !== undefined) messages.push(`"${'path' in onDisk ? onDisk.path : ''}" ${FILE_ON_DISK}`);
  return { row, post, state: messages.length > 0 ? { kind: 'refused', messages } : { kind: 'waiting' } };
}

function sendable({ row, post, state }: ShownRow): readonly ImportRow[] {
  return post === null || state.kind === 'refused' || state.kind === 'created' ? [] : [{ row, post }];
}

const PAGE_POSTS = 500;

async function findPresent(workspaceId: string, posts: readonly CsvPost[], signal: AbortSignal): Promise<PresentPosts> {
  const present = new PresentPosts();
  const span = spanOf(posts);
  for (let cursor: string | null | undefined; span !== null && cursor !== null;) {
    const asked = { workspaceId, ...span, limit: PAGE_POSTS, ...(cursor === undefined ? {} : { cursor }) };
    const page = await server.posts.list.query(asked, { signal });
    for (const post of page.posts) present.add(post);
    cursor = page.nextCursor;
  }
  return present;
}

async function sendBulk(
  workspaceId: string,
  posts: readonly CsvPost[],
  dryRun: boolean,
): Promise<readonly BulkAnswer[]> {
  return server.posts.createBulk.mutate({ workspaceId, posts: [...posts], dryRun }) as Promise<readonly BulkAnswer[]>;
}

function retryOf(error: unknown): { readonly afterSeconds: number | null } | null {
  const { code, retryAfterSeconds } = problemOf(error);
  if (code === 'rate_limited') return { afterSeconds: retryAfterSeconds ?? null };
  return isPassing(error) ? { afterSeconds: null } : null;
}

async function wait(seconds: number | null, tries: number, signal: AbortSignal): Promise<void> {
  if (seconds === null) return untilNextTry(tries, signal);
  const until = Date.now() + seconds * 1000;
  while (Date.now() < until) await untilNextTry(1, signal);
}
