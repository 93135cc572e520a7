import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { CrierUnderTest } from '#testing/crier-process.ts';
import { seed } from '#testing/engines/environment.ts';
import { SeededRandom } from '#testing/seeded-random.ts';
import { formsOf, TestBrowser } from '#testing/test-browser.ts';
import { until } from '#testing/until.ts';
import {
  approved,
  callTool,
  connected,
  doorsOf,
  followLink,
  mailedLink,
  redeem,
  refresh,
  registered,
  type Code,
  type Doors,
} from './authorized-app.ts';

const SEED = seed(31);
/** About as long as a whole story takes. */
const STORY_MS = 700;

/** What a person and their app hold when the process dies: each came in an answer that arrived. */
interface Held {
  browser?: TestBrowser;
  clientId?: string;
  code?: Code;
  tokens?: { readonly access: string; readonly refresh: string };
  refreshed?: boolean;
}

/** From a mailed link to a refreshed token. */
async function connectOnce(doors: Doors, { link, workspaceId }: Story, held: Held): Promise<void> {
  const mcp = `${doors.publicUrl}/mcp`;
  held.browser = await followLink(doors.app, link);
  held.clientId = await registered(doors.app);
  held.code = await approved(held.browser, doors, { clientId: held.clientId, workspaceId });
  const { body } = await redeem(doors.app, held.code, mcp);
  held.tokens = { access: body.access_token, refresh: body.refresh_token };
  held.refreshed = (await refresh(doors.app, held.clientId, held.tokens.refresh, mcp)).status === 200;
}

interface Story {
  readonly workspaceId: string;
  readonly email: string;
  readonly link: string;
}

/** Signs in after the answer to a link was lost: by the same link, or by another one. */
async function signedInAgain(doors: Doors, { email, link }: Story): Promise<TestBrowser> {
  const browser = new TestBrowser(doors.app);
  const page = await browser.get(link);
  if (page.status === 200) return followLink(doors.app, link);
  expect(page.status).toBe(410);
  await browser.send(formsOf((await browser.get('/sign-in')).html)[0]!, { email });
  return followLink(doors.app, await mailedLink(doors, email, 2));
}

/** What a code is worth. Asked again where the answer says so, as a busy engine may not answer in time. */
function answered(doors: Doors, code: Code, mcp: string) {
  const ask = async () => {
    const answer = await redeem(doors.app, code, mcp);
    return answer.body.error === 'temporarily_unavailable' ? null : answer;
  };
  return until(ask, { what: 'an answer to the code' });
}

/** What was lost can be asked for again; nothing is good twice. Answers with what the process died in. */
async function recover(doors: Doors, story: Story, held: Held): Promise<string> {
  const { workspaceId, link } = story;
  const mcp = `${doors.publicUrl}/mcp`;
  const { clientId, code, tokens } = held;
  const browser = held.browser ?? (await signedInAgain(doors, story));
  expect((await browser.get('/account')).status).toBe(200);
  // Whoever has the link only is not signed in by it any more.
  expect((await new TestBrowser(doors.app).get(link)).status).toBe(410);

  if (tokens !== undefined) {
    expect((await callTool(doors, tokens.access, 'list_channels')).status).toBe(200);
    const again = await refresh(doors.app, clientId!, tokens.refresh, mcp);
    expect([again.status, again.body.error]).toEqual([200, undefined]);
    expect((await callTool(doors, again.body.access_token, 'list_channels')).status).toBe(200);
  }
  if (code !== undefined) {
    const tries = [await answered(doors, code, mcp), await answered(doors, code, mcp)];
    const good = tries.filter(({ status }) => status === 200).length + (tokens === undefined ? 0 : 1);
    expect(good, 'a code is good once').toBeLessThanOrEqual(1);
    expect(tries[1]!.body.error).toBe('invalid_grant');
  }
  const anew = await connected(browser, doors, { workspaceId, ...(clientId !== undefined && { clientId }) });
  expect((await callTool(doors, anew.mcp, 'list_channels')).status).toBe(200);
  if (held.refreshed === true) return 'nothing';
  if (tokens !== undefined) return 'the refresh';
  if (code !== undefined) return 'the code';
  if (clientId !== undefined) return 'the consent';
  return held.browser === undefined ? 'the sign-in' : 'the registration';
}

/**
 * Kills the process at random moments of people's ways from a mailed link to a refreshed token. Answers with what it
 * died in, each time.
 */
export async function killedWhileConnecting(crier: CrierUnderTest, rounds: number): Promise<readonly string[]> {
  const random = new SeededRandom(SEED);
  const doors = doorsOf(crier);
  const { workspaceId } = crier.ready.demo!;
  const diedIn: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const email = `person-${round}@example.com`;
    await crier.admin().call('members.invite', { workspaceId, email, name: `Person ${round}`, role: 'editor' });
    const story = { workspaceId, email, link: await mailedLink(doors, email) };
    const held: Held = {};
    const told = connectOnce(doors, story, held).catch(() => {});
    await sleep(random.between(0, STORY_MS));
    await crier.kill();
    await told;
    await crier.start();
    diedIn.push(await recover(doors, story, held));
  }
  return diedIn;
}
