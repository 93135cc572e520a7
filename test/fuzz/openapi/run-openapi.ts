import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CrierUnderTest } from '#testing/crier-process.ts';
import type { FuzzOutcome } from '../run-target.ts';

/** Where `make fuzz` installs it. */
const SCHEMATHESIS = resolve(import.meta.dirname, '../../../.cache/schemathesis/bin/schemathesis');

export function hasSchemathesis(): boolean {
  return existsSync(SCHEMATHESIS);
}

export interface OpenApiRun {
  readonly seed: number;
  readonly seconds: number;
}

/** No limit of requests stands in the way; nothing is sent to addresses that are made up. */
const SETTINGS = {
  CRIER_REQUESTS_PER_MINUTE: '0',
  CRIER_STRANGER_REQUESTS_PER_MINUTE: '0',
  CRIER_ADDRESSES_PER_MINUTE: '0',
  CRIER_EGRESS_ALLOW: 'inbox.sandbox',
};

/** A run of an hour is worth waiting for on a machine that is busy with others. */
const START_WITHIN_MS = 300_000;

/** Holds a real process of Crier to the OpenAPI document that it serves. */
export async function fuzzOpenApi(run: OpenApiRun): Promise<FuzzOutcome> {
  await using crier = await CrierUnderTest.make({ name: 'openapi', env: SETTINGS });
  await crier.start(START_WITHIN_MS);
  const folder = mkdtempSync(join(tmpdir(), 'crier-schemathesis-'));
  try {
    copyFileSync(join(import.meta.dirname, 'hooks.py'), join(folder, 'hooks.py'));
    writeFileSync(join(folder, 'schemathesis.toml'), configurationOf(await madeThings(crier)));
    const { output, code } = await schemathesis(crier, folder, run);
    const cases = Number(/(\d+) generated/.exec(output)?.[1] ?? 0);
    const report = code === 0 && cases > 0 ? [] : [`schemathesis ended with ${code}, after ${cases} cases: see above`];
    return { cases, failures: [...report, ...faultsIn(crier)] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Things = Readonly<Record<'channels' | 'posts' | 'variants' | 'assets' | 'endpoints', readonly string[]>>;

/** Some of everything, so that requests come further than to a 404. */
async function madeThings(crier: CrierUnderTest): Promise<Things> {
  const { workspaceId, channels } = crier.ready.demo!;
  await crier.admin().call('workspaces.addCredits', { workspaceId, credits: 1_000_000 });
  const api = crier.api();
  const made = async (path: string, body: object): Promise<any> => {
    const answer = await api.send('POST', path, body);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.data;
  };
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const posts: any[] = [];
  const [assets, endpoints]: [string[], string[]] = [[], []];
  for (let each = 0; each < 10; each++) {
    const post = { text: `Written before ${each}`, channelIds: [channels['x'], channels['threads']] };
    posts.push(await made('/api/posts', { ...post, scheduledAt: tomorrow }));
    assets.push((await made('/api/media', { filename: 'a.png', contentType: 'image/png', bytes: 10 })).assetId);
    if (each < 5)
      endpoints.push(
        (await made('/api/webhooks', { url: 'https://inbox.sandbox/first', events: ['variant.failed'] })).id,
      );
  }
  const variants = posts.flatMap((post) => post.variants.map(({ id }: { readonly id: string }) => id));
  return { channels: Object.values(channels), posts: posts.map(({ id }) => id), variants, assets, endpoints };
}

function configurationOf(things: Things): string {
  const template = readFileSync(join(import.meta.dirname, 'schemathesis.toml'), 'utf8');
  return Object.entries(things).reduce(
    (text, [name, ids]) => text.replace(`["<${name}>"]`, JSON.stringify(ids)),
    template,
  );
}

/** More examples than any run has time for: the time ends it. */
const MOST_EXAMPLES = '100000';

function schemathesis(
  crier: CrierUnderTest,
  folder: string,
  { seed, seconds }: OpenApiRun,
): Promise<{ readonly output: string; readonly code: number | null }> {
  const { baseUrl, demo } = crier.ready;
  const args = [
    ...['--config-file', join(folder, 'schemathesis.toml'), 'run', `${baseUrl}/developers/openapi.json`],
    ...['--url', baseUrl!, '--header', `Authorization: Bearer ${demo!.apiKey}`, '--checks', 'all', '--no-color'],
    ...['--seed', String(seed), '--max-time', String(Math.ceil(seconds)), '--generation-database', 'none'],
    ...(seconds > 600 ? ['--max-examples', MOST_EXAMPLES] : []),
  ];
  const child = spawn(SCHEMATHESIS, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    process.stdout.write(text);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ output, code }));
  });
}

/** What Crier itself reported as its own fault meanwhile, whatever it answered; and that it is still there. */
function faultsIn(crier: CrierUnderTest): readonly string[] {
  const lines = crier
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{') && /"level":(50|60)|"level":"(error|fatal)"/.test(line));
  return [...(crier.pid === null ? ['Crier ended'] : []), ...lines.slice(0, 5)];
}
