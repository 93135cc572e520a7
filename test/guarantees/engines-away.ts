import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import sharp from 'sharp';
import type { AdminClient, ApiClient, ClientAnswer } from '#testing/crier-clients.ts';
import type { CrierUnderTest } from '#testing/crier-process.ts';
import { until } from '#testing/until.ts';
import { fileOf, upload, type MediaPostJson } from './media-files.ts';

/** What is asked, as the columns of the table in docs/guarantees.md. */
const QUESTIONS = ['Read', 'Write', 'File', 'Admin', 'Metrics', 'Live', 'Ingress ready', 'Others ready'] as const;
type Question = (typeof QUESTIONS)[number];
type Answers = Readonly<Record<Question, string>>;

/** Where the questions are asked. */
export interface Asked {
  readonly ingress: CrierUnderTest;
  readonly api: ApiClient;
  /** With the role admin. */
  readonly admin: AdminClient;
  /** A process that reads the log and serves no requests. */
  readonly other: CrierUnderTest;
  readonly workspaceId: string;
  readonly channelIds: readonly string[];
  /** Of a Member's file, at the ingress. */
  readonly fileUrl: string;
}

async function askAll({ ingress, api, admin, other, workspaceId, channelIds, fileUrl }: Asked): Promise<Answers> {
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
  const asked: Record<Question, () => Promise<string>> = {
    Read: async () => inWords(await api.send('GET', '/api/posts')),
    Write: async () =>
      inWords(await api.send('POST', '/api/posts', { text: 'kept for later', channelIds, scheduledAt })),
    File: async () => String((await fetch(fileUrl)).status),
    Admin: async () => inWords(await admin.send('workspaces.get', { workspaceId })),
    Metrics: async () => String((await other.admin().get('/metrics')).status),
    Live: async () => String((await other.admin().get('/health/live')).status),
    'Ingress ready': async () => readiness(await ingress.admin().get('/health/ready')),
    'Others ready': async () => readiness(await other.admin().get('/health/ready')),
  };
  const answers = await Promise.all(QUESTIONS.map(async (question) => [question, await asked[question]()]));
  return Object.fromEntries(answers) as Answers;
}

/** A write that is not acknowledged is of unknown outcome or was not done: 503 both. */
function inWords({ status, body }: ClientAnswer): string {
  if (status < 400) return String(status);
  const code: string = body.error?.data?.code ?? body.error?.code ?? '';
  return status === 503 ? '503' : `${status} ${code}`;
}

function readiness({ status, body }: ClientAnswer): string {
  const { checks } = body as { readonly checks: readonly { readonly name: string; readonly trouble: string | null }[] };
  const named = checks.filter(({ name, trouble }) => trouble !== null && ['store', 'log'].includes(name));
  return named.length === 0 ? String(status) : `${status}: ${named.map(({ name }) => name).join(', ')}`;
}

const PAGE = resolve(import.meta.dirname, '../../docs/guarantees.md');

/** What the page says that is answered while this is away. */
function onThePage(away: string): Answers {
  const lines = readFileSync(PAGE, 'utf8').split('\n');
  const cells = (line: string): string[] => line.split('|').map((cell) => cell.trim());
  const head = cells(lines.find((line) => line.startsWith('| Away |')) ?? '');
  const row = cells(lines.find((line) => line.startsWith(`| ${away} |`)) ?? '');
  return Object.fromEntries(QUESTIONS.map((question) => [question, row[head.indexOf(question)] ?? ''])) as Answers;
}

/** Waits until everything is answered as the page says; throws with what was answered last. */
export async function answersAsOnThePage(asked: Asked, away: string, withinMs: number): Promise<void> {
  const expected = JSON.stringify(onThePage(away));
  let last = '';
  const asExpected = async (): Promise<boolean> => {
    last = JSON.stringify(await askAll(asked));
    return last === expected;
  };
  await until(asExpected, { what: `${away} away: ${expected}`, withinMs, everyMs: 500 }).catch((error: Error) => {
    throw new Error(`${away} away, on the page: ${expected}; answered last: ${last}`, { cause: error });
  });
}

/** The address of a file of a Post that is not due soon. */
export async function keptFile(api: ApiClient, channelIds: readonly string[]): Promise<string> {
  const red = { create: { width: 400, height: 400, channels: 3, background: { r: 200, g: 30, b: 60 } } } as const;
  const assetId = await upload(api, fileOf('image/png', await sharp(red).png().toBuffer()));
  const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
  const { id } = await api.createPost({ text: 'with a file', channelIds, scheduledAt, media: [{ assetId }] });
  const address = async () => ((await api.getPost(id)) as MediaPostJson).media[0]!.url;
  return until(address, { what: 'the file has an address', withinMs: 60_000 });
}
